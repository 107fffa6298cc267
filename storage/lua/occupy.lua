-- occupy finds out whose a store is, and makes it a workspace's own if it is nobody's.
--
-- KEYS  1 occupant
-- ARGV  1 team
-- Returns {team}: whose it is now. A repetition finds what it wrote.
local team = redis.call('GET', KEYS[1])
if not team then
  team = ARGV[1]
  redis.call('SET', KEYS[1], team)
end
return {team}
