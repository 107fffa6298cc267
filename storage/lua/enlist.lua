-- enlist puts discussions that an older version opened among those of their channels.
--
-- KEYS  of each discussion: thread, channel
-- ARGV  1.. member of each  last: operation id (unused: a repetition finds them listed)
-- Returns {how many are open and have a root}.
--
-- Prefixes: each ZADD is a change of its own.
local n = 0
for i = 1, #ARGV - 1 do
  local f = redis.call('HMGET', KEYS[2 * i - 1], 'th', 'closed')
  if f[1] and not f[2] then
    enlist(KEYS[2 * i], ARGV[i], f[1])
    n = n + 1
  end
end
return {n}
