-- commit applies one change of a held discussion.
--
-- KEYS  1 thread  2 mailbox  3 log  4 seen  5 due  6 act  7 pace  8 letters  9 channel  10 audit
--       11 alias (only when known)  12 thread and 13 mailbox of the discussion that the alias names (only where it is
--       known to name another)
-- ARGV  1 member  2 token  3 lease ms  4 effects done  5 '', 'mark' or 'unmark'  6 pace until ms or 0
--       7 release 0/1, or 2 to yield  8 wake ms or 0  9 close 0/1  10 retention ms  11 pace interval ms  12 pace burst
--       13 has state 0/1  14 state  15 new root timestamp or ''  16 reason for parking  17 letters kept  18 doubt 0/1
--       19 retention of the audit record in ms  20 member of the discussion in 12 and 13, or ''
--       21 n, then n marks consumed; n, then n marks parked; n, then n log entries; n, then n intents; n, then n
--       timestamps of posts; n, then n acts; n, then n times index and new form of an entry of the log
--       last: operation id
-- Returns {'ok', now, wait ms, released 0/1, occupied 0/1, mail}, {'fenced'}, {'refused', why}, or {'taken', member} when
-- the alias of a new root names another discussion that was not named in 20: then it has to be.
--
-- A thread is one discussion's, as in deliver: the alias of a new root stays with the discussion that it names,
-- if that is another and goes on. Then the root is occupied, and the rest is applied all the same.
--
-- Prefixes: letters may repeat a mail that still waits, and audit an act that is decided again, under the
-- same id: readers take the first. Log entries and intents lie beyond the length and tail that the thread
-- shows. Rewritten entries are staged under this operation's name, which counts once lr is it; what was staged
-- in vain goes with the log. A spent permit delays one post. An alias finds a discussion that exists. Marks in
-- seen belong to mail that waits and is refused as a duplicate either way, or to posts that stand in Slack, and
-- the channel lists a discussion that is open, whatever becomes of the commit. HSET thread is the commit point: lc
-- names the mail it consumed, so that mail left in the mailbox does not count and is removed by the next
-- commit. After it staged entries take their places, then comes cleaning, and the due entry, which is the old
-- lease end until then: it brings somebody, who finds nothing to do. A closing that was cut is finished by claim, except for the expiry of
-- the alias.
local op, now, at = ARGV[#ARGV], clock(), 21
local function list()
  local out = {}
  for i = 1, tonumber(ARGV[at]) do out[i] = ARGV[at + i] end
  at = at + 1 + #out
  return out
end
local consumed, parked, append, enqueue, posts, acts = list(), list(), list(), list(), list(), list()
local rewrite = {}
for i = 1, tonumber(ARGV[at]) do rewrite[i] = {ARGV[at + 2 * i - 1], ARGV[at + 2 * i]} end

local named = ARGV[15] ~= '' and redis.call('GET', KEYS[11])
local f = redis.call('HMGET', KEYS[1], 'lop', 'lu', 'closed', 'lc', 'oh', 'ot', 'ln', 'os', 'on', 'pw', 'knows', 'try', 'th', 'lr', 'lw')
if f[1] == op then
  touch(KEYS[1], op)
  local pw = ARGV[5] == 'mark' and tonumber(f[10] or 0) or 0
  local wait = pw == 0 and 0 or math.max(pw - now, 1)
  local free = (f[3] or tonumber(f[2] or 0) == 0) and '1' or '0'
  return {'ok', int(now), int(wait), free, named and named ~= ARGV[1] and '1' or '0', waiting(KEYS[2], set(f[4]))}
end
if not f[1] or f[1] ~= ARGV[2] or f[3] or tonumber(f[2] or 0) == 0 then return {'fenced'} end
local occupied = false
if named and named ~= ARGV[1] then
  if named ~= ARGV[20] then return {'taken', named} end
  occupied = goes(KEYS[12], KEYS[13])
end

-- What will be.
local oh, ot, ln = tonumber(f[5] or 0), tonumber(f[6] or 0), tonumber(f[7] or 0)
local done = tonumber(ARGV[4])
local head, tail = oh + done, ot + #enqueue
if head > tail then return {'refused', 'more effects done than the outbox holds'} end
if ARGV[5] == 'mark' and head == tail then return {'refused', 'an attempt with an empty outbox'} end
if ARGV[7] == '1' and ARGV[9] == '0' and head < tail and ARGV[8] == '0' then
  return {'refused', 'a release with effects outstanding and no time to wake'}
end
for _, r in ipairs(rewrite) do
  if tonumber(r[1]) < 0 or tonumber(r[1]) >= ln then return {'refused', 'a rewritten entry that the log does not have'} end
end
local before, gone = set(f[4]), {}
for _, mark in ipairs(consumed) do gone[mark] = true end
for _, mark in ipairs(parked) do gone[mark] = true end
local read, seen = {}, {}
for mark in pairs(gone) do
  read[#read + 1], before[mark] = mark, nil
  seen[#seen + 1] = mark
  seen[#seen + 1] = ''
end
for mark in pairs(before) do gone[mark] = true end
local root = ARGV[15] ~= '' and ARGV[15] or f[13]
for _, ts in ipairs(posts) do
  if ts ~= root then
    seen[#seen + 1] = digits(ts)
    seen[#seen + 1] = ''
  end
end
local mail, left = sift(KEYS[2], gone)
local closing = ARGV[9] == '1' and #mail == 0 and head == tail
local yield = not closing and ARGV[7] == '2'
local release = yield or (not closing and ARGV[7] == '1' and #mail == 0 and (head == tail or ARGV[8] ~= '0'))
local wake = yield and math.max(tonumber(ARGV[8]), now) or tonumber(ARGV[8])

-- The channel's pace: the theoretical arrival time of the next post, in ms (GCRA).
local interval, burst = tonumber(ARGV[11]), tonumber(ARGV[12])
local paced = ARGV[5] == 'mark' or tonumber(ARGV[6]) > 0
local tat = paced and tonumber(redis.call('GET', KEYS[7]) or 0) or 0
local arrival, since, tries, wait = tat, tonumber(f[8] or 0), tonumber(f[9] or 0), 0
if tonumber(ARGV[6]) > 0 then arrival = math.max(arrival, tonumber(ARGV[6]) + (burst - 1) * interval) end
if done > 0 then since, tries = 0, 0 end
if ARGV[5] == 'unmark' then since = 0 end
if ARGV[5] == 'mark' then
  wait = math.max(arrival - (burst - 1) * interval - now, 0)
  if wait == 0 then
    arrival = math.max(arrival, now) + interval
    since, tries = now, tries + 1
  end
end

-- Before the commit point. First what a torn commit left of the mail it consumed and the entries it rewrote.
local torn = {}
for _, mark in ipairs(left) do
  if before[mark] then torn[#torn + 1] = mark end
end
if #torn > 0 then redis.call('HDEL', KEYS[2], unpack(torn)) end
for i in string.gmatch(f[14] and f[15] or '', '%S+') do
  local name = i .. ':' .. f[14]
  local line = redis.call('HGET', KEYS[3], name)
  if line then
    redis.call('HSET', KEYS[3], i, line)
    redis.call('HDEL', KEYS[3], name)
  end
end
for _, mark in ipairs(parked) do
  local m = redis.call('HGET', KEYS[2], mark)
  if m then redis.call('XADD', KEYS[8], 'MAXLEN', '~', ARGV[17], '*', 'ref', ARGV[1], 'mail', m, 'why', ARGV[16], 'at', int(now)) end
end
if #parked > 0 then
  redis.call('XTRIM', KEYS[8], 'MINID', '=', int(math.max(now - ARGV[10], 0)))
  redis.call('PEXPIRE', KEYS[8], ARGV[10])
end
for _, act in ipairs(acts) do note(KEYS[10], act, ARGV[19], now) end
if #append > 0 then
  local fields = {}
  for i, entry in ipairs(append) do
    fields[#fields + 1] = int(ln + i - 1)
    fields[#fields + 1] = entry
  end
  redis.call('HSET', KEYS[3], unpack(fields))
end
for _, r in ipairs(rewrite) do redis.call('HSET', KEYS[3], r[1] .. ':' .. op, r[2]) end
if #append + #rewrite > 0 then redis.call('ZADD', KEYS[6], int(now), ARGV[1]) end
if arrival ~= tat then redis.call('SET', KEYS[7], int(arrival), 'PX', int(math.max(arrival - now, 0) + 60000)) end
if root and (#append > 0 or ARGV[15] ~= '') then enlist(KEYS[9], ARGV[1], root) end
if ARGV[15] ~= '' and not occupied then redis.call('SET', KEYS[11], ARGV[1]) end
if #seen > 0 then redis.call('HSET', KEYS[4], unpack(seen)) end
local fresh = now + tonumber(ARGV[3])
if not release and not closing then redis.call('ZADD', KEYS[5], int(fresh), ARGV[1]) end

-- The commit point.
local fields = {'lop', op, 'claims', '0', 'lu', (release or closing) and '0' or int(fresh),
  'oh', int(head), 'ot', int(tail), 'ln', int(ln + #append), 'os', int(since), 'on', int(tries)}
local function put(name, value)
  fields[#fields + 1] = name
  fields[#fields + 1] = value
end
-- Mail consumed earlier is out of the mailbox, so lc needs to name this commit's only. It is kept
-- when nothing was consumed, because its being there tells a discussion from a torn opening.
local lc = table.concat(consumed, ' ')
if #parked > 0 then lc = lc .. ' ' .. table.concat(parked, ' ') end
if lc ~= '' or not f[4] then put('lc', lc) end
-- The run id is the one known at the claim: if it changed since, or the holder only gives back, nobody has
-- looked whether the server forgot something, and the next holder must. So must it if the holder has looked
-- and says that it is not done with what it saw.
if ARGV[18] == '0' and (not yield or ARGV[13] == '1') then put('run', f[11] or '') end
if ARGV[13] == '1' then put('state', ARGV[14]) end
if ARGV[15] ~= '' then put('th', ARGV[15]) end
if ARGV[5] == 'mark' then put('pw', wait == 0 and '0' or int(now + wait)) end
if f[12] and f[12] ~= '' then
  put('try', '')
  put('tn', '0')
end
if closing then put('closed', ARGV[10]) end
if #rewrite > 0 then
  local places = {}
  for i, r in ipairs(rewrite) do places[i] = r[1] end
  put('lr', op)
  put('lw', table.concat(places, ' '))
end
for i, intent in ipairs(enqueue) do put('o:' .. int(ot + i - 1), intent) end
redis.call('HSET', KEYS[1], unpack(fields))

-- After it.
for _, r in ipairs(rewrite) do
  redis.call('HSET', KEYS[3], r[1], r[2])
  redis.call('HDEL', KEYS[3], r[1] .. ':' .. op)
end
if #read > 0 then redis.call('HDEL', KEYS[2], unpack(read)) end
local stale = {}
for i = oh, head - 1 do stale[#stale + 1] = 'o:' .. int(i) end
if release or closing then
  for _, idle in ipairs({'own', 'knows', 'claims'}) do stale[#stale + 1] = idle end
  if ARGV[5] ~= 'mark' then stale[#stale + 1] = 'pw' end
  if tries == 0 then stale[#stale + 1], stale[#stale + 2] = 'os', 'on' end
end
if #stale > 0 then redis.call('HDEL', KEYS[1], unpack(stale)) end
if closing then
  for i = 1, 4 do redis.call('PEXPIRE', KEYS[i], ARGV[10]) end
  if KEYS[11] and redis.call('GET', KEYS[11]) == ARGV[1] then redis.call('PEXPIRE', KEYS[11], ARGV[10]) end
  unlist(KEYS[5], KEYS[6], KEYS[9], ARGV[1])
elseif release and wake == 0 then
  redis.call('ZREM', KEYS[5], ARGV[1])
elseif release then
  redis.call('ZADD', KEYS[5], int(wake), ARGV[1])
end
return {'ok', int(now), int(wait), (release or closing) and '1' or '0', occupied and '1' or '0', mail}
