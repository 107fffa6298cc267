-- deliver puts an input into a discussion's mailbox, creates the discussion if asked to, and claims it if
-- asked to and free.
--
-- KEYS  1 thread  2 mailbox  3 log  4 seen  5 due  6 act  7 channel  8 alias (only with a root timestamp)
--       9 thread and 10 mailbox of the discussion that the alias names (only where it is known to name another)
-- ARGV  1 member  2 mark of the input  3 mail  4 mailbox limit  5 opens 0/1  6 root timestamp or ''
--       7 owner, '' for no claim  8 log entries the claimant has  9 their revision  10 lease ms  11 run id
--       12 person whose doing it is, or ''  13 member of the discussion in 9 and 10, or ''
--       14.. marks of further identities  last: operation id
-- Returns {reception, held 0/1}, {'stored', 0, snapshot} when claimed, or {'taken', held 0/1, member} when the alias
-- names another discussion, which is the one in 9 and 10 and goes on, or was not named in 13: then it has to be.
--
-- A thread is one discussion's: nothing is opened in one whose alias names another discussion, unless that is not
-- there, was never opened, or is closed. One that is out of sight may come back, and keeps its thread.
--
-- One person cannot keep the others out: from where the mailbox is a quarter full it is noted whose mail comes in,
-- and from where it is half full nobody gets more in who has a quarter of it among what was noted.
--
-- Prefixes: act, due, channel and alias name a discussion that does not exist yet or has nothing to do: claim removes
-- or ignores them, and another takes the alias. With a claim, due shows the lease that comes with it: a discussion cut before that waits as
-- long for its next holder. The discussion without mail is one that nobody opened: claim drops it. Further
-- identities count only together with the mail, and so do marks noted with a person. HSET mailbox is the commit
-- point; the claim after it is a change of its own.
local op, now, claims = ARGV[#ARGV], clock(), ARGV[7] ~= ''
local f = claims and look(KEYS[1], 'lu', 'closed', 'gone', 'th', unpack(shown)) or look(KEYS[1], 'lop', 'lu', 'closed', 'gone', 'th')
local lu, full, own = tonumber(f.lu or 0), false, nil
local held = lu > now and 1 or 0

if f.lop then
  if f.lop == op then
    touch(KEYS[1], op)
    return {'stored', 0, snapshot(f, waiting(KEYS[2], set(f.lc)), KEYS[1], KEYS[3], tonumber(ARGV[8]), ARGV[9], now)}
  end
  local marks, n = {ARGV[2]}, redis.call('HLEN', KEYS[2])
  for i = 14, #ARGV - 1 do marks[#marks + 1] = ARGV[i] end
  full = n > 0
  local before = full and redis.call('HGET', KEYS[2], ARGV[2])
  if before and string.sub(before, 1, #op + 1) == op .. '\n' then
    touch(KEYS[1], f.lop)
    return {'stored', held}
  end
  if before or known(KEYS[2], KEYS[4], marks, full) then
    touch(KEYS[1], f.lop)
    return {'duplicate', held}
  end
  if f.closed or f.gone then return {'closed', 0} end
  local limit = tonumber(ARGV[4])
  if n >= limit then return {'full', held} end
  if ARGV[12] ~= '' and 4 * n >= limit then
    own = {ARGV[2]}
    for mark in string.gmatch(redis.call('HGET', KEYS[4], '@' .. ARGV[12]) or '', '%S+') do
      if redis.call('HEXISTS', KEYS[2], mark) == 1 then own[#own + 1] = mark end
    end
    if 2 * n >= limit and 4 * (#own - 1) >= limit then return {'full', held} end
  end
elseif ARGV[5] == '0' then
  return {'unknown', 0}
end
local rooted = ARGV[5] == '1' and KEYS[8] and (not f.th or f.th == ARGV[6])
local named = rooted and redis.call('GET', KEYS[8])
if named and named ~= ARGV[1] then
  if named ~= ARGV[13] then return {'taken', held, named} end
  if goes(KEYS[9], KEYS[10]) then return {'taken', held, named} end
end
claims = claims and held == 0

local fresh, mail = now + tonumber(ARGV[10]), op .. '\n' .. ARGV[3]
redis.call('ZADD', KEYS[6], int(now), ARGV[1])
if held == 0 then redis.call('ZADD', KEYS[5], int(claims and fresh or now), ARGV[1]) end
if rooted and named ~= ARGV[1] then redis.call('SET', KEYS[8], ARGV[1]) end
if rooted and not f.th then
  f.run = ARGV[11]
  enlist(KEYS[7], ARGV[1], ARGV[6])
  redis.call('HSET', KEYS[1], 'th', ARGV[6], 'lop', f.lop or '', 'run', f.run)
elseif not f.lop then
  f.run = ARGV[11]
  redis.call('HSET', KEYS[1], 'lop', '', 'run', f.run)
end
if own or #ARGV > 14 then
  local also = own and {'@' .. ARGV[12], table.concat(own, ' ')} or {}
  for i = 14, #ARGV - 1 do
    also[#also + 1] = ARGV[i]
    also[#also + 1] = ARGV[2]
  end
  redis.call('HSET', KEYS[4], unpack(also))
end
redis.call('HSET', KEYS[2], ARGV[2], mail)
if not claims then return {'stored', held} end

f.lop, f.claims = op, int(tonumber(f.claims or 0) + 1)
redis.call('HSET', KEYS[1], 'own', ARGV[7], 'knows', ARGV[11], 'lu', int(fresh), 'claims', f.claims, 'lop', op)
local box = full and waiting(KEYS[2], set(f.lc)) or {mail}
return {'stored', 0, snapshot(f, box, KEYS[1], KEYS[3], tonumber(ARGV[8]), ARGV[9], now)}
