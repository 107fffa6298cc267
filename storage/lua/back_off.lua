-- back_off notes until when a method of Slack's Web API is to be left alone, if one is named, and says of all how
-- long that is.
--
-- KEYS  1 backoffs
-- ARGV  1 method or ''  2 ms from now on  3 operation id (unused: a repetition only leaves the method alone until
--       later, by as much as it comes later)
-- Returns {method, ms left, method, ms left, ...} of those that are to be left alone.
--
-- Prefixes: HSET is the commit point. A hash that was cut before its end was set is removed once every time in it
-- has passed.
local now, until_ms = clock(), {}
local all = redis.call('HGETALL', KEYS[1])
for i = 1, #all, 2 do until_ms[all[i]] = tonumber(all[i + 1]) end
if ARGV[1] ~= '' then
  until_ms[ARGV[1]] = math.max(until_ms[ARGV[1]] or 0, now + tonumber(ARGV[2]))
  redis.call('HSET', KEYS[1], ARGV[1], int(until_ms[ARGV[1]]))
end
local out, last = {}, 0
for method, at in pairs(until_ms) do
  last = math.max(last, at)
  if at > now then
    out[#out + 1] = method
    out[#out + 1] = int(at - now)
  end
end
if ARGV[1] ~= '' then
  redis.call('PEXPIRE', KEYS[1], int(last - now + 1000))
elseif #all > 0 and last <= now then
  redis.call('DEL', KEYS[1])
end
return out
