-- replay puts a dead letter back into its discussion's mailbox.
--
-- KEYS  1 thread  2 mailbox  3 due  4 letters
-- ARGV  1 member  2 mark  3 mail  4 letter  5 operation id
-- Returns 'ok', 'missing' (no such letter) or 'closed' (no such discussion any more).
--
-- Prefixes: without its mark in lc the mail would count as waiting, but it is not there yet. HSET mailbox is the
-- commit point. A letter that is still there may be replayed again, which puts the same mail in the same place.
local now = clock()
local f = redis.call('HMGET', KEYS[1], 'lop', 'lu', 'closed', 'lc')
local before = redis.call('HGET', KEYS[2], ARGV[2])
if before and string.sub(before, 1, #ARGV[5] + 1) == ARGV[5] .. '\n' then
  touch(KEYS[1], f[1])
  return 'ok'
end
if #redis.call('XRANGE', KEYS[4], ARGV[4], ARGV[4]) == 0 then return 'missing' end
if not f[1] or f[3] then return 'closed' end

if tonumber(f[2] or 0) <= now then redis.call('ZADD', KEYS[3], int(now), ARGV[1]) end
if set(f[4])[ARGV[2]] then
  local rest = {}
  for mark in string.gmatch(f[4], '%S+') do
    if mark ~= ARGV[2] then rest[#rest + 1] = mark end
  end
  redis.call('HSET', KEYS[1], 'lc', table.concat(rest, ' '))
end
redis.call('HSET', KEYS[2], ARGV[2], ARGV[5] .. '\n' .. ARGV[3])
redis.call('XDEL', KEYS[4], ARGV[4])
return 'ok'
