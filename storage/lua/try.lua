-- try notes what a holder is about to work on, and how often in a row that was so without a commit after it.
-- It extends the lease and changes nothing else: what a claim found out about the server still has to be
-- acted on.
--
-- KEYS  1 thread  2 mailbox  3 due
-- ARGV  1 member  2 token  3 lease ms  4 what  5 operation id
-- Returns {'ok', now, mail} or {'fenced'}.
--
-- Prefixes: as renew.
local now, op = clock(), ARGV[5]
local f = redis.call('HMGET', KEYS[1], 'lop', 'lu', 'closed', 'lc', 'try', 'tn')
if f[1] == op then
  touch(KEYS[1], op)
  return {'ok', int(now), waiting(KEYS[2], set(f[4]))}
end
if f[1] ~= ARGV[2] or f[3] or tonumber(f[2] or 0) == 0 then return {'fenced'} end
local times = f[5] == ARGV[4] and tonumber(f[6]) + 1 or 1
local fresh = int(now + tonumber(ARGV[3]))
redis.call('ZADD', KEYS[3], fresh, ARGV[1])
redis.call('HSET', KEYS[1], 'lop', op, 'lu', fresh, 'try', ARGV[4], 'tn', int(times))
return {'ok', int(now), waiting(KEYS[2], set(f[4]))}
