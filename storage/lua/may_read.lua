-- may_read takes a permit to read threads back from Slack.
--
-- KEYS  1 readings
-- ARGV  1 ms until the next permit  2 operation id
-- Returns {ms to wait}, 0 with the permit. A repetition recognises itself.
local now = clock()
local free, by = string.match(redis.call('GET', KEYS[1]) or '', '^(%d+) (.*)$')
if by == ARGV[2] then return {0} end
if free and tonumber(free) > now then return {tonumber(free) - now} end
redis.call('SET', KEYS[1], int(now + ARGV[1]) .. ' ' .. ARGV[2], 'PX', int(ARGV[1] + 60000))
return {0}
