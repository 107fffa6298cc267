-- first finds out whether something was asked about before.
--
-- KEYS  1 first
-- ARGV  1 life in ms  2 operation id
-- Returns {1} for the first to ask, else {0}. A repetition recognises itself.
local by = redis.call('GET', KEYS[1])
if by then return {by == ARGV[2] and 1 or 0} end
redis.call('SET', KEYS[1], ARGV[2], 'PX', ARGV[1])
return {1}
