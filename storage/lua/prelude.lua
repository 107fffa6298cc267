-- Shared by every script; the Go side puts it in front of each.
--
-- House rules for scripts:
--   * every key comes in KEYS and lies in one slot, so that a script runs on a Cluster;
--   * the clock is the server's, never a replica's;
--   * everything is checked before the first write: an error half way would keep the writes made;
--   * payloads are opaque bytes; cjson is not used, because servers disagree about empty arrays;
--   * an append-only file may be cut inside a script, so every prefix of a script's writes must leave
--     a consistent discussion. One HSET is the commit point; what stands before it is invisible or
--     harmless without it, what stands after it is cleaning up that a later script repeats.

-- clock returns the server's time in milliseconds.
local function clock()
  local t = redis.call('TIME')
  return t[1] * 1000 + math.floor(t[2] / 1000)
end

-- int writes a whole number without an exponent.
local function int(n) return string.format('%.0f', n) end

-- set turns a space separated list into a set.
local function set(list)
  local s = {}
  for word in string.gmatch(list or '', '%S+') do s[word] = true end
  return s
end

-- waiting returns the mail in a mailbox that is not among the marks in gone.
local function waiting(mailbox, gone)
  local all, out = redis.call('HGETALL', mailbox), {}
  for i = 1, #all, 2 do
    if not gone[all[i]] then out[#out + 1] = all[i + 1] end
  end
  return out
end

-- range returns the fields prefix..from to prefix..(to-1) of a hash, in portions that fit Lua's stack.
local function range(key, prefix, from, to)
  local out = {}
  while from < to do
    local fields = {}
    for i = from, math.min(to, from + 1000) - 1 do fields[#fields + 1] = prefix .. int(i) end
    for _, v in ipairs(redis.call('HMGET', key, unpack(fields))) do out[#out + 1] = v or '' end
    from = from + #fields
  end
  return out
end

-- known says whether an input was seen: it waits, it was consumed, or it is another identity of one
-- that does or was. Such an identity counts only together with its input, because it is written first.
local function known(mailbox, seen, mark)
  if redis.call('HEXISTS', mailbox, mark) == 1 then return true end
  local of = redis.call('HGET', seen, mark)
  if not of then return false end
  if of == '' then return true end
  return redis.call('HEXISTS', mailbox, of) == 1 or redis.call('HGET', seen, of) == ''
end

-- touch makes the connection's replication offset cover an operation that was applied before, so that
-- a WAIT after its repetition does not succeed for want of anything to wait for.
local function touch(thread, token) redis.call('HSET', thread, 'lop', token) end

-- snapshot returns everything a holder needs: token, now, run id, attempted since, attempts,
-- crashes, what was tried last, how often, log length, whether there is a state, state, mail, outbox, log from index from on.
local function snapshot(thread, mailbox, log, from, now)
  local f = redis.call('HMGET', thread, 'lop', 'run', 'os', 'on', 'claims', 'ln', 'oh', 'ot', 'lc', 'state', 'try', 'tn')
  local ln = tonumber(f[6] or 0)
  return {f[1], int(now), f[2] or '', f[3] or '0', f[4] or '0', int(tonumber(f[5] or 1) - 1),
    f[11] or '', f[12] or '0', int(ln),
    f[10] and '1' or '0', f[10] or '', waiting(mailbox, set(f[9])),
    range(thread, 'o:', tonumber(f[7] or 0), tonumber(f[8] or 0)), range(log, '', from, ln)}
end
