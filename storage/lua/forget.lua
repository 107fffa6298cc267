-- forget puts a discussion that nobody is at work on out of sight, brings it back, or removes it with
-- everything that belongs to it. Before it is removed its timer is suspended, so that nobody comes to work on it.
--
-- KEYS  1 thread  2 mailbox  3 log  4 seen  5 due  6 act  7 channel
--       8 alias (the thread again if it has none), which may be another discussion's by now
-- ARGV  1 member  2 'hide', 'suspend', 'resume', 'restore' or 'remove'  3 key of the forgetting  4 operation id
--       (unused: each is the same however often it runs)
-- Returns 'ok', also when there is nothing to do, 'busy', or, for 'hide', 'missing' when there is none, or it is
-- another forgetting's. Nothing is removed that was not put out of sight under the same key: somebody took it back.
--
-- Prefixes: HSET and HDEL are one write. A timer is noted before it is off the list, and back on it before the note
-- goes. When the discussion is removed the thread goes last, so that a repetition finds what is left.
local f = redis.call('HMGET', KEYS[1], 'lop', 'lu', 'oh', 'ot', 'lc', 'gone', 'wake')
if not f[1] or (f[6] and f[6] ~= ARGV[3]) then return ARGV[2] == 'hide' and 'missing' or 'ok' end
if ARGV[2] == 'restore' or ARGV[2] == 'resume' then
  if f[7] then redis.call('ZADD', KEYS[5], f[7], ARGV[1]) end
  redis.call('HDEL', KEYS[1], unpack(ARGV[2] == 'restore' and {'wake', 'gone'} or {'wake'}))
  touch(KEYS[1], f[1])
  return 'ok'
end
if ARGV[2] ~= 'hide' and not f[6] then return 'ok' end
local held = tonumber(f[2] or 0) > clock()
local owes = tonumber(f[4] or 0) > tonumber(f[3] or 0)
if held or owes or #waiting(KEYS[2], set(f[5])) > 0 then return 'busy' end
if ARGV[2] == 'hide' then
  redis.call('HSET', KEYS[1], 'gone', ARGV[3])
  return 'ok'
end
if ARGV[2] == 'suspend' then
  local wake = redis.call('ZSCORE', KEYS[5], ARGV[1])
  if wake then redis.call('HSET', KEYS[1], 'wake', int(tonumber(wake))) end
  redis.call('ZREM', KEYS[5], ARGV[1])
  touch(KEYS[1], f[1])
  return 'ok'
end
unlist(KEYS[5], KEYS[6], KEYS[7], ARGV[1])
if KEYS[8] ~= KEYS[1] and redis.call('GET', KEYS[8]) == ARGV[1] then redis.call('DEL', KEYS[8]) end
for _, key in ipairs({KEYS[2], KEYS[3], KEYS[4], KEYS[1]}) do redis.call('DEL', key) end
return 'ok'
