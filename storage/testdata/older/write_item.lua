-- Shared by every script; the Go side puts it in front of each.
--
-- House rules for scripts:
--   * every key comes in KEYS and lies in one slot, so that a script runs on a Cluster;
--   * the clock is the server's, never a replica's;
--   * everything is checked before the first write: an error half way would keep the writes made;
--   * payloads are opaque bytes; cjson is not used, because servers disagree about empty arrays;
--   * an append-only file may be cut inside a script, so every prefix of a script's writes must leave
--     a consistent discussion. One HSET is the commit point; what stands before it is invisible or
--     harmless without it, what stands after it is cleaning up that a later script repeats.

-- clock returns the server's time in milliseconds.
local function clock()
  local t = redis.call('TIME')
  return t[1] * 1000 + math.floor(t[2] / 1000)
end

-- int writes a whole number without an exponent.
local function int(n) return string.format('%.0f', n) end

-- set turns a space separated list into a set.
local function set(list)
  local s = {}
  for word in string.gmatch(list or '', '%S+') do s[word] = true end
  return s
end

-- sift returns the mail in a mailbox that is not among the marks in gone, and the marks of that which is.
local function sift(mailbox, gone)
  local all, out, left = redis.call('HGETALL', mailbox), {}, {}
  for i = 1, #all, 2 do
    if gone[all[i]] then left[#left + 1] = all[i] else out[#out + 1] = all[i + 1] end
  end
  return out, left
end

-- waiting returns the mail in a mailbox that is not among the marks in gone.
local function waiting(mailbox, gone)
  local out = sift(mailbox, gone)
  return out
end

-- range returns the fields prefix..from to prefix..(to-1) of a hash, in portions that fit Lua's stack.
local function range(key, prefix, from, to)
  local out = {}
  while from < to do
    local fields = {}
    for i = from, math.min(to, from + 1000) - 1 do fields[#fields + 1] = prefix .. int(i) end
    for _, v in ipairs(redis.call('HMGET', key, unpack(fields))) do out[#out + 1] = v or '' end
    from = from + #fields
  end
  return out
end

-- known says whether an input was seen, which has several marks: it waits, it was consumed, or one of its
-- marks is another identity of one that does or was. Such an identity counts only together with its input,
-- because it is written first.
local function known(mailbox, seen, marks, full)
  if full then
    for _, waits in ipairs(redis.call('HMGET', mailbox, unpack(marks))) do
      if waits then return true end
    end
  end
  for _, of in ipairs(redis.call('HMGET', seen, unpack(marks))) do
    if of == '' then return true end
    if of and (redis.call('HEXISTS', mailbox, of) == 1 or redis.call('HGET', seen, of) == '') then return true end
  end
  return false
end

-- touch makes the connection's replication offset cover an operation that was applied before, so that
-- a WAIT after its repetition does not succeed for want of anything to wait for.
local function touch(thread, token) redis.call('HSET', thread, 'lop', token) end

-- look reads a discussion's fields by name; those that it has not are false.
local function look(thread, ...)
  local f, values = {}, redis.call('HMGET', thread, ...)
  for i, name in ipairs({...}) do f[name] = values[i] end
  return f
end

-- shown are the fields that a snapshot shows.
local shown = {'lop', 'run', 'os', 'on', 'claims', 'ln', 'oh', 'ot', 'lc', 'state', 'try', 'tn'}

-- snapshot returns everything a holder needs, of the fields as they are now: token, now, run id, attempted since,
-- attempts, crashes, what was tried last, how often, log length, whether there is a state, state, mail, outbox,
-- log from index from on.
local function snapshot(f, mail, thread, log, from, now)
  local ln = tonumber(f.ln or 0)
  return {f.lop, int(now), f.run or '', f.os or '0', f.on or '0', int(tonumber(f.claims or 1) - 1),
    f.try or '', f.tn or '0', int(ln), f.state and '1' or '0', f.state or '', mail,
    range(thread, 'o:', tonumber(f.oh or 0), tonumber(f.ot or 0)), range(log, '', from, ln)}
end
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
