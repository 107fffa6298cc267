-- renew extends a lease. The token stays: repeating a renewal does no harm, and a renewal may overtake a
-- commit of the same holder.
--
-- KEYS  1 thread  2 mailbox  3 due
-- ARGV  1 member  2 token  3 lease ms  4 operation id (unused: the script is the same however often it runs)
-- Returns {'ok', now, mail} or {'fenced'}.
--
-- Prefixes: due later than the lease only delays a takeover; HSET is the commit point.
local now = clock()
local f = redis.call('HMGET', KEYS[1], 'lop', 'lu', 'closed', 'lc')
if f[1] ~= ARGV[2] or f[3] or tonumber(f[2] or 0) == 0 then return {'fenced'} end
local fresh = int(now + tonumber(ARGV[3]))
redis.call('ZADD', KEYS[3], fresh, ARGV[1])
redis.call('HSET', KEYS[1], 'lu', fresh)
return {'ok', int(now), waiting(KEYS[2], set(f[4]))}
