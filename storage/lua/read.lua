-- read returns a discussion without claiming it. It writes nothing.
--
-- KEYS  1 thread  2 log
-- ARGV  1 log entries the reader has
-- Returns {has state 0/1, state, log entries} or nothing when there is no such discussion.
local f = redis.call('HMGET', KEYS[1], 'lop', 'ln', 'state')
if not f[1] then return false end
return {f[3] and '1' or '0', f[3] or '', range(KEYS[2], '', tonumber(ARGV[1]), tonumber(f[2] or 0))}
