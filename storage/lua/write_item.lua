-- write_item changes an item if it still has the version that was read.
--
-- KEYS  1 item  2 items of the channel
-- ARGV  1 slug  2 version  3 effect key or ''  4 result  5 has meta 0/1  6 meta  7.. name and bytes of each file
--       last: operation id
-- Returns 'ok' (also when the effect was merged before) or 'conflict'.
--
-- Prefixes: a slug without an item reads as an item that does not exist. HSET is the commit point.
local op = ARGV[#ARGV]
local f = redis.call('HMGET', KEYS[1], 'v', 'lop')
if f[2] == op or (ARGV[3] ~= '' and redis.call('HEXISTS', KEYS[1], 'k:' .. ARGV[3]) == 1) then
  redis.call('HSET', KEYS[1], 'lop', f[2])
  return 'ok'
end
local version = tonumber(f[1] or 0)
if version ~= tonumber(ARGV[2]) then return 'conflict' end

redis.call('SADD', KEYS[2], ARGV[1])
local fields = {'v', int(version + 1), 'lop', op}
if ARGV[3] ~= '' then
  fields[#fields + 1] = 'k:' .. ARGV[3]
  fields[#fields + 1] = ARGV[4]
end
if ARGV[5] == '1' then
  fields[#fields + 1] = 'meta'
  fields[#fields + 1] = ARGV[6]
end
for i = 7, #ARGV - 2, 2 do
  fields[#fields + 1] = 'f:' .. ARGV[i]
  fields[#fields + 1] = ARGV[i + 1]
end
redis.call('HSET', KEYS[1], unpack(fields))
return 'ok'
