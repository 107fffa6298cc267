-- claim takes a discussion that is due and free.
--
-- KEYS  1 thread  2 mailbox  3 log  4 seen  5 due  6 act  7 channel
-- ARGV  1 member  2 owner  3 log entries the claimant has  4 their revision  5 lease ms  6 run id  7 operation id
-- Returns the snapshot, or nothing when there is nothing to claim.
--
-- Prefixes: HSET is the commit point; a due entry that does not show the lease yet is corrected by the next
-- claim. What a torn opening or closing left is put in order here.
local op, now = ARGV[7], clock()
local f = look(KEYS[1], 'lu', 'closed', unpack(shown))
if not f.lop then
  unlist(KEYS[5], KEYS[6], KEYS[7], ARGV[1])
  return false
end
if f.closed then
  for i = 1, 4 do
    if redis.call('PTTL', KEYS[i]) == -1 then redis.call('PEXPIRE', KEYS[i], f.closed) end
  end
  unlist(KEYS[5], KEYS[6], KEYS[7], ARGV[1])
  return false
end
local mail = waiting(KEYS[2], set(f.lc))
if f.lop == op then
  touch(KEYS[1], op)
  return snapshot(f, mail, KEYS[1], KEYS[3], tonumber(ARGV[3]), ARGV[4], now)
end
local lu = tonumber(f.lu or 0)
if lu > now then
  redis.call('ZADD', KEYS[5], int(lu), ARGV[1])
  return false
end
if #mail == 0 and not f.lc then
  unlist(KEYS[5], KEYS[6], KEYS[7], ARGV[1])
  return false
end
local due = redis.call('ZSCORE', KEYS[5], ARGV[1])
if due and tonumber(due) > now then return false end
if not due and #mail == 0 and f.oh == f.ot then return false end

local fresh = now + tonumber(ARGV[5])
f.lop, f.claims = op, int(tonumber(f.claims or 0) + 1)
redis.call('HSET', KEYS[1], 'own', ARGV[2], 'knows', ARGV[6], 'lu', int(fresh), 'claims', f.claims, 'lop', op)
redis.call('ZADD', KEYS[5], int(fresh), ARGV[1])
return snapshot(f, mail, KEYS[1], KEYS[3], tonumber(ARGV[3]), ARGV[4], now)
