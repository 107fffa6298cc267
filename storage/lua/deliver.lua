-- deliver puts an input into a discussion's mailbox, creates the discussion if asked to, and claims it if
-- asked to and free.
--
-- KEYS  1 thread  2 mailbox  3 log  4 seen  5 due  6 act  7 alias (only with a root timestamp)
-- ARGV  1 member  2 mark of the input  3 mail  4 mailbox limit  5 opens 0/1  6 root timestamp or ''
--       7 owner, '' for no claim  8 log entries the claimant has  9 lease ms  10 run id
--       11.. marks of further identities  last: operation id
-- Returns {reception, held 0/1} or {'stored', 0, snapshot} when claimed.
--
-- Prefixes: act, due and alias name a discussion that does not exist yet or has nothing to do: claim removes
-- or ignores them. The discussion without mail is one that nobody opened: claim drops it. Further identities
-- count only together with the mail. HSET mailbox is the commit point; the claim after it is a change of
-- its own, and a due entry that does not show the lease yet is corrected by the next claim.
local op, now = ARGV[#ARGV], clock()
local f = redis.call('HMGET', KEYS[1], 'lop', 'lu', 'closed', 'th', 'claims')
local exists, lu = f[1], tonumber(f[2] or 0)
local held = lu > now and 1 or 0

if exists then
  if exists == op then
    touch(KEYS[1], op)
    return {'stored', 0, snapshot(KEYS[1], KEYS[2], KEYS[3], tonumber(ARGV[8]), now)}
  end
  local before = redis.call('HGET', KEYS[2], ARGV[2])
  if before and string.sub(before, 1, #op + 1) == op .. '\n' then
    touch(KEYS[1], exists)
    return {'stored', held}
  end
  local again = before or known(KEYS[2], KEYS[4], ARGV[2])
  for i = 11, #ARGV - 1 do again = again or known(KEYS[2], KEYS[4], ARGV[i]) end
  if again then
    touch(KEYS[1], exists)
    return {'duplicate', held}
  end
  if f[3] then return {'closed', 0} end
  if redis.call('HLEN', KEYS[2]) >= tonumber(ARGV[4]) then return {'full', held} end
elseif ARGV[5] == '0' then
  return {'unknown', 0}
end

redis.call('ZADD', KEYS[6], int(now), ARGV[1])
if held == 0 then redis.call('ZADD', KEYS[5], int(now), ARGV[1]) end
if ARGV[5] == '1' and KEYS[7] and not f[4] then
  redis.call('SET', KEYS[7], ARGV[1])
  redis.call('HSET', KEYS[1], 'th', ARGV[6], 'lop', exists or '', 'run', ARGV[10])
elseif not exists then
  redis.call('HSET', KEYS[1], 'lop', '', 'run', ARGV[10])
end
for i = 11, #ARGV - 1 do redis.call('HSET', KEYS[4], ARGV[i], ARGV[2]) end
redis.call('HSET', KEYS[2], ARGV[2], op .. '\n' .. ARGV[3])
if ARGV[7] == '' or held == 1 then return {'stored', held} end

local fresh = now + tonumber(ARGV[9])
redis.call('HSET', KEYS[1], 'own', ARGV[7], 'knows', ARGV[10], 'lu', int(fresh), 'claims', int(tonumber(f[5] or 0) + 1), 'lop', op)
redis.call('ZADD', KEYS[5], int(fresh), ARGV[1])
return {'stored', 0, snapshot(KEYS[1], KEYS[2], KEYS[3], tonumber(ARGV[8]), now)}
