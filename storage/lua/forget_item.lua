-- forget_item puts an item out of sight, seals it against writes or takes the seal off, brings it back as it was, or
-- removes it.
--
-- KEYS  1 item  2 items of the channel
-- ARGV  1 slug  2 'hide', 'seal', 'unseal', 'restore' or 'remove'  3 key of the forgetting  4 operation id (unused: each
--       is the same however often it runs)
-- Returns 'ok', also when there is nothing to do, or, for 'hide', 'missing' when there is none, or it is another
-- forgetting's, or, for 'seal', 'back' when it is in sight.
--
-- Prefixes: the mark on the item is what counts. An item that is marked and still listed is not shown; one that is
-- listed again before its mark is gone is not either; one without its name in the list is removed when the
-- removal is repeated. The mark counts for the version that was hidden: a replica of an older version writes into
-- the item and leaves the mark, and what it wrote is not removed. The seal counts together with the mark, and for
-- the same version.
local f = redis.call('HMGET', KEYS[1], 'v', 'gone', 'lop', 'gv')
if f[2] and f[4] and f[4] ~= f[1] then f[2] = false end
if ARGV[2] == 'hide' then
  if not f[1] or (f[2] and f[2] ~= ARGV[3]) then return 'missing' end
  redis.call('HSET', KEYS[1], 'gone', ARGV[3], 'gv', f[1])
  redis.call('SREM', KEYS[2], ARGV[1])
  return 'ok'
end
if f[2] ~= ARGV[3] then
  if f[1] then redis.call('HSET', KEYS[1], 'lop', f[3]) end -- for a WAIT after a repetition
  return ARGV[2] == 'seal' and f[1] and not f[2] and 'back' or 'ok'
end
if ARGV[2] == 'seal' then
  redis.call('HSET', KEYS[1], 'sealed', f[1])
  return 'ok'
end
if ARGV[2] == 'unseal' then
  redis.call('HDEL', KEYS[1], 'sealed')
  redis.call('HSET', KEYS[1], 'lop', f[3]) -- for a WAIT after a repetition
  return 'ok'
end
if ARGV[2] == 'restore' then
  redis.call('SADD', KEYS[2], ARGV[1])
  redis.call('HDEL', KEYS[1], 'gone', 'gv', 'sealed')
  return 'ok'
end
redis.call('SREM', KEYS[2], ARGV[1])
redis.call('DEL', KEYS[1])
return 'ok'
