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

-- portion is about how many bytes of a log one reply holds.
local portion = 1048576

-- lines returns a log's entries from index from to before to, as many as fit into a portion and at least one. An
-- entry that was rewritten by the operation rev counts as it was staged, for as long as it is: its place in the log
-- is written after the commit point.
local function lines(log, rev, rewritten, from, to)
  local out, size, staged = {}, 0, {}
  for i in string.gmatch(rev and rewritten or '', '%S+') do
    staged[tonumber(i)] = redis.call('HGET', log, i .. ':' .. rev) or nil
  end
  while from < to do
    local fields = {}
    for i = from, math.min(to, from + 100) - 1 do fields[#fields + 1] = int(i) end
    for i, v in ipairs(redis.call('HMGET', log, unpack(fields))) do
      v = staged[from + i - 1] or v or ''
      size = size + #v
      if size > portion and #out > 0 then return out end
      out[#out + 1] = v
    end
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

-- digits returns the digits of a timestamp: its µs, as a number and as the mark of a post.
local function digits(ts)
  local d = string.gsub(ts, '%D', '')
  return d
end

-- enlist puts a discussion among those of its channel, by its root's timestamp.
local function enlist(channel, member, root)
  redis.call('ZADD', channel, tonumber(digits(root)) or 0, string.match(member, '^[^/]*/[^/]*/(.*)$'))
end

-- unlist takes a discussion off the lists of those that are open.
local function unlist(due, act, channel, member)
  redis.call('ZREM', act, member)
  redis.call('ZREM', channel, string.match(member, '^[^/]*/[^/]*/(.*)$'))
  redis.call('ZREM', due, member)
end

-- look reads a discussion's fields by name; those that it has not are false.
local function look(thread, ...)
  local f, values = {}, redis.call('HMGET', thread, ...)
  for i, name in ipairs({...}) do f[name] = values[i] end
  return f
end

-- goes says whether a discussion goes on: it was opened and is not closed. One that is out of sight may come back.
local function goes(thread, mailbox)
  local f = look(thread, 'lop', 'closed')
  return f.lop and (f.lop ~= '' or redis.call('HLEN', mailbox) > 0) and not f.closed
end

-- shown are the fields that a snapshot shows.
local shown = {'lop', 'run', 'os', 'on', 'claims', 'ln', 'oh', 'ot', 'lc', 'state', 'try', 'tn', 'lr', 'lw'}

-- snapshot returns everything a holder needs, of the fields as they are now: token, now, run id, attempted since,
-- attempts, crashes, what was tried last, how often, log length, the log's revision, the index from which entries
-- follow, whether there is a state, state, mail, outbox, a portion of the log. It begins at from, which the holder
-- knows of revision rev, or at the beginning if that is another.
local function snapshot(f, mail, thread, log, from, rev, now)
  local ln = tonumber(f.ln or 0)
  if (f.lr or '') ~= rev then from = 0 end
  from = math.min(math.max(from, 0), ln)
  return {f.lop, int(now), f.run or '', f.os or '0', f.on or '0', int(tonumber(f.claims or 1) - 1),
    f.try or '', f.tn or '0', int(ln), f.lr or '', int(from), f.state and '1' or '0', f.state or '', mail,
    range(thread, 'o:', tonumber(f.oh or 0), tonumber(f.ot or 0)), lines(log, f.lr, f.lw, from, ln)}
end

-- note adds a line to the audit record and lets go of those that are older than the record is kept; it goes
-- altogether when nothing was added for as long.
local function note(audit, act, kept, now)
  redis.call('XADD', audit, '*', 'act', act)
  redis.call('XTRIM', audit, 'MINID', int(math.max(now - kept, 0)))
  redis.call('PEXPIRE', audit, kept)
end
