-- forget removes a discussion that nobody is at work on, and everything that belongs to it.
--
-- KEYS  1 thread  2 mailbox  3 log  4 seen  5 due  6 act  7 alias (the thread again if it has none)
-- ARGV  1 member  2 operation id
-- Returns 'ok' (also when there is nothing to remove) or 'busy'.
--
-- Prefixes: the thread goes last, so that a repetition finds what is left.
local f = redis.call('HMGET', KEYS[1], 'lop', 'lu', 'oh', 'ot', 'lc')
if f[1] then
  local held = tonumber(f[2] or 0) > clock()
  local owes = tonumber(f[4] or 0) > tonumber(f[3] or 0)
  if held or owes or #waiting(KEYS[2], set(f[5])) > 0 then return 'busy' end
end
redis.call('ZREM', KEYS[5], ARGV[1])
redis.call('ZREM', KEYS[6], ARGV[1])
for _, key in ipairs({KEYS[2], KEYS[3], KEYS[4], KEYS[7], KEYS[1]}) do redis.call('DEL', key) end
return 'ok'
