-- Shared by the scripts of the budgets, between the prelude and each.
--
-- An account is a field of the accounts HASH: "spent tokens, spent micros, held tokens, held micros". A charge
-- that is open is the field "r/<id>": "held tokens, held micros, account, account…". Every change of
-- accounts and charge together is one HSET, the commit point. A charge that is over is the empty field until it
-- is removed; one without a field never was.

-- account returns the four numbers of an account.
local function account(hash, name)
  local t, m, ht, hm = string.match(redis.call('HGET', hash, name) or '0 0 0 0', '^(%d+) (%d+) (%d+) (%d+)$')
  return {tonumber(t), tonumber(m), tonumber(ht), tonumber(hm)}
end

local function written(a)
  for i = 1, 4 do a[i] = int(math.max(a[i], 0)) end
  return table.concat(a, ' ')
end

-- conclude puts what was used in the place of what a charge holds; without used, the hold itself.
local function conclude(hash, open, id, used)
  local charge = redis.call('HGET', hash, 'r/' .. id)
  if charge and charge ~= '' then
    local words = {}
    for w in string.gmatch(charge, '%S+') do words[#words + 1] = w end
    local t, m = tonumber(words[1]), tonumber(words[2])
    used = used or {t, m}
    local fields = {'r/' .. id, ''}
    for i = 3, #words do
      local a = account(hash, words[i])
      fields[#fields + 1] = words[i]
      fields[#fields + 1] = written({a[1] + used[1], a[2] + used[2], a[3] - t, a[4] - m})
    end
    redis.call('HSET', hash, unpack(fields))
  end
  redis.call('ZREM', open, id)
  redis.call('HDEL', hash, 'r/' .. id)
end

-- standing returns the numbers of accounts, four for each.
local function standing(hash, names)
  local out = {}
  for _, name in ipairs(names) do
    for _, n in ipairs(account(hash, name)) do out[#out + 1] = int(n) end
  end
  return out
end
