-- may_read takes a permit to read threads back from Slack.
--
-- KEYS  1 readings
-- ARGV  1 ms until the next permit
-- Returns {ms to wait}, 0 with the permit.
--
-- A repetition after a lost reply waits for the next permit: that delays one reading.
local now = clock()
local free = tonumber(redis.call('GET', KEYS[1]) or 0)
if free > now then return {free - now} end
redis.call('SET', KEYS[1], int(now + ARGV[1]), 'PX', int(ARGV[1] + 60000))
return {0}
