-- reserve sets the hold of a charge aside in all its accounts, or in none. On the way it counts as spent what
-- holders set aside who are gone, and forgets accounts that nobody used for long.
--
-- KEYS  1 accounts  2 open charges  3 ages
-- ARGV  1 charge id  2 tokens  3 micros  4 life of the charge in ms
--       5.. of each account: name, limit in tokens, limit in micros (0 for none), life in ms (0 for ever)
-- Returns {'ok'} (also when it was set aside before), or {'over', number of the account from 0, its numbers}.
--
-- Prefixes: a charge among the open ones without its field is removed in its time, and so is an age without an
-- account; HSET is the commit point.
local hash, open, ages, id = KEYS[1], KEYS[2], KEYS[3], ARGV[1]
local now, t, m = clock(), tonumber(ARGV[2]), tonumber(ARGV[3])
for _, gone in ipairs(redis.call('ZRANGEBYSCORE', open, '-inf', int(now), 'LIMIT', 0, 50)) do conclude(hash, open, gone) end
if redis.call('HGET', hash, 'r/' .. id) then return {'ok'} end

local fields, charge = {}, {int(t), int(m)}
for i = 5, #ARGV, 4 do
  local a = account(hash, ARGV[i])
  local lt, lm = tonumber(ARGV[i + 1]), tonumber(ARGV[i + 2])
  if (lt > 0 and a[1] + a[3] + t > lt) or (lm > 0 and a[2] + a[4] + m > lm) then
    return {'over', int((i - 5) / 4), unpack(standing(hash, {ARGV[i]}))}
  end
  fields[#fields + 1] = ARGV[i]
  fields[#fields + 1] = written({a[1], a[2], a[3] + t, a[4] + m})
  charge[#charge + 1] = ARGV[i]
end
redis.call('ZADD', open, int(now + tonumber(ARGV[4])), id)
for i = 5, #ARGV, 4 do
  if ARGV[i + 3] ~= '0' then redis.call('ZADD', ages, int(now + tonumber(ARGV[i + 3])), ARGV[i]) end
end
redis.call('HSET', hash, 'r/' .. id, table.concat(charge, ' '), unpack(fields))
for _, old in ipairs(redis.call('ZRANGEBYSCORE', ages, '-inf', int(now), 'LIMIT', 0, 20)) do
  redis.call('HDEL', hash, old)
  redis.call('ZREM', ages, old)
end
return {'ok'}
