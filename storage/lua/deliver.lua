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
-- or ignores them. With a claim, due shows the lease that comes with it: a discussion cut before that waits as
-- long for its next holder. The discussion without mail is one that nobody opened: claim drops it. Further
-- identities count only together with the mail. HSET mailbox is the commit point; the claim after it is a
-- change of its own.
local op, now, claims = ARGV[#ARGV], clock(), ARGV[7] ~= ''
local f = claims and look(KEYS[1], 'lu', 'closed', 'th', unpack(shown)) or look(KEYS[1], 'lop', 'lu', 'closed', 'th')
local lu, full = tonumber(f.lu or 0), false
local held = lu > now and 1 or 0

if f.lop then
  if f.lop == op then
    touch(KEYS[1], op)
    return {'stored', 0, snapshot(f, waiting(KEYS[2], set(f.lc)), KEYS[1], KEYS[3], tonumber(ARGV[8]), now)}
  end
  local marks, n = {ARGV[2]}, redis.call('HLEN', KEYS[2])
  for i = 11, #ARGV - 1 do marks[#marks + 1] = ARGV[i] end
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
  if f.closed then return {'closed', 0} end
  if n >= tonumber(ARGV[4]) then return {'full', held} end
elseif ARGV[5] == '0' then
  return {'unknown', 0}
end
claims = claims and held == 0

local fresh, mail = now + tonumber(ARGV[9]), op .. '\n' .. ARGV[3]
redis.call('ZADD', KEYS[6], int(now), ARGV[1])
if held == 0 then redis.call('ZADD', KEYS[5], int(claims and fresh or now), ARGV[1]) end
if ARGV[5] == '1' and KEYS[7] and not f.th then
  f.run = ARGV[10]
  redis.call('SET', KEYS[7], ARGV[1])
  redis.call('HSET', KEYS[1], 'th', ARGV[6], 'lop', f.lop or '', 'run', f.run)
elseif not f.lop then
  f.run = ARGV[10]
  redis.call('HSET', KEYS[1], 'lop', '', 'run', f.run)
end
if #ARGV > 11 then
  local also = {}
  for i = 11, #ARGV - 1 do
    also[#also + 1] = ARGV[i]
    also[#also + 1] = ARGV[2]
  end
  redis.call('HSET', KEYS[4], unpack(also))
end
redis.call('HSET', KEYS[2], ARGV[2], mail)
if not claims then return {'stored', held} end

f.lop, f.claims = op, int(tonumber(f.claims or 0) + 1)
redis.call('HSET', KEYS[1], 'own', ARGV[7], 'knows', ARGV[10], 'lu', int(fresh), 'claims', f.claims, 'lop', op)
local box = full and waiting(KEYS[2], set(f.lc)) or {mail}
return {'stored', 0, snapshot(f, box, KEYS[1], KEYS[3], tonumber(ARGV[8]), now)}
