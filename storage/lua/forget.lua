-- forget puts a discussion that nobody is at work on out of sight, brings it back, or removes it with
-- everything that belongs to it.
--
-- KEYS  1 thread  2 mailbox  3 log  4 seen  5 due  6 act  7 channel
--       8 alias (the thread again if it has none), which may be another discussion's by now
-- ARGV  1 member  2 'hide', 'restore' or 'remove'  3 key of the forgetting  4 operation id (unused: each is the same
--       however often it runs)
-- Returns 'ok', also when there is nothing to do, 'busy', or, for 'hide', 'missing' when there is none, or it is
-- another forgetting's. Nothing is removed that was not put out of sight under the same key: somebody took it back.
--
-- Prefixes: HSET and HDEL are one write. When it is removed the thread goes last, so that a repetition finds what
-- is left.
local f = redis.call('HMGET', KEYS[1], 'lop', 'lu', 'oh', 'ot', 'lc', 'gone')
if not f[1] or (f[6] and f[6] ~= ARGV[3]) then return ARGV[2] == 'hide' and 'missing' or 'ok' end
if ARGV[2] == 'restore' then
  redis.call('HDEL', KEYS[1], 'gone')
  touch(KEYS[1], f[1])
  return 'ok'
end
if ARGV[2] == 'remove' and not f[6] then return 'ok' end
local held = tonumber(f[2] or 0) > clock()
local owes = tonumber(f[4] or 0) > tonumber(f[3] or 0)
if held or owes or #waiting(KEYS[2], set(f[5])) > 0 then return 'busy' end
if ARGV[2] == 'hide' then
  redis.call('HSET', KEYS[1], 'gone', ARGV[3])
  return 'ok'
end
unlist(KEYS[5], KEYS[6], KEYS[7], ARGV[1])
if KEYS[8] ~= KEYS[1] and redis.call('GET', KEYS[8]) == ARGV[1] then redis.call('DEL', KEYS[8]) end
for _, key in ipairs({KEYS[2], KEYS[3], KEYS[4], KEYS[1]}) do redis.call('DEL', key) end
return 'ok'
