-- read returns a discussion without claiming it. It writes nothing.
--
-- KEYS  1 thread  2 log
-- ARGV  1 log entries the reader has  2 whether it may see what was forgotten 0/1
-- Returns {has state 0/1, state, log length, a portion of the log}, 'forgotten', or nothing when there is no such
-- discussion.
local f = redis.call('HMGET', KEYS[1], 'lop', 'ln', 'state', 'lr', 'lw', 'gone')
if not f[1] then return false end
if f[6] and ARGV[2] == '0' then return 'forgotten' end
local ln = tonumber(f[2] or 0)
return {f[3] and '1' or '0', f[3] or '', int(ln), lines(KEYS[2], f[4], f[5], tonumber(ARGV[1]), ln)}
