-- write_item changes an item if it still has the version that was read, and room.
--
-- KEYS  1 item  2 items of the channel
-- ARGV  1 slug  2 version  3 effect key or ''  4 result  5 has meta 0/1  6 meta  7 most files  8 most bytes
--       9 opener or ''
--       10.. name and bytes of each file, 1,000 at most, so that Lua's stack holds them  last: operation id
-- Returns 'ok' (also when the effect was merged before), 'conflict', also while the item is being removed, or 'full' when the item would hold more than it
-- may, or still more.
--
-- Prefixes: a slug without an item reads as an item that does not exist; one that was forgotten is back before
-- it is written into. HSET is the commit point.
local op = ARGV[#ARGV]
local f = redis.call('HMGET', KEYS[1], 'v', 'lop', 'gone', 'gv', 'sealed')
if f[2] == op or (ARGV[3] ~= '' and redis.call('HEXISTS', KEYS[1], 'k:' .. ARGV[3]) == 1) then
  redis.call('HSET', KEYS[1], 'lop', f[2])
  return 'ok'
end
local version = tonumber(f[1] or 0)
if version ~= tonumber(ARGV[2]) then return 'conflict' end
if f[3] and f[5] and f[5] == f[1] and (f[4] or f[1]) == f[1] then return 'conflict' end

local written, count, bytes = {}, 0, 0
for i = 10, #ARGV - 2, 2 do
  written['f:' .. ARGV[i]] = true
  count, bytes = count + 1, bytes + #ARGV[i + 1]
end
if ARGV[5] == '1' then
  written.meta = true
  bytes = bytes + #ARGV[6]
end
local had, held = 0, 0
for _, name in ipairs(redis.call('HKEYS', KEYS[1])) do
  local file = string.sub(name, 1, 2) == 'f:'
  if file or name == 'meta' then
    local n, one = redis.call('HSTRLEN', KEYS[1], name), file and 1 or 0
    had, held = had + one, held + n
    if not written[name] then count, bytes = count + one, bytes + n end
  end
end
if count > math.max(had, tonumber(ARGV[7])) or bytes > math.max(held, tonumber(ARGV[8])) then return 'full' end

redis.call('SADD', KEYS[2], ARGV[1])
redis.call('HDEL', KEYS[1], 'gone', 'gv', 'sealed')
local fields = {'v', int(version + 1), 'lop', op}
if ARGV[3] ~= '' then
  fields[#fields + 1] = 'k:' .. ARGV[3]
  fields[#fields + 1] = ARGV[4]
end
if ARGV[5] == '1' then
  fields[#fields + 1] = 'meta'
  fields[#fields + 1] = ARGV[6]
end
if ARGV[9] ~= '' then
  fields[#fields + 1] = 'o:' .. ARGV[9]
  fields[#fields + 1] = ''
end
for i = 10, #ARGV - 2, 2 do
  fields[#fields + 1] = 'f:' .. ARGV[i]
  fields[#fields + 1] = ARGV[i + 1]
end
redis.call('HSET', KEYS[1], unpack(fields))
return 'ok'
