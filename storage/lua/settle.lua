-- settle puts what was used in the place of what a charge set aside. A charge that is over, whether it was
-- settled or counted as spent, stays as it is.
--
-- KEYS  1 accounts  2 open charges
-- ARGV  1 charge id  2 tokens  3 micros  4.. accounts to report
-- Returns the numbers of the accounts to report.
--
-- Prefixes: see conclude.
conclude(KEYS[1], KEYS[2], ARGV[1], {tonumber(ARGV[2]), tonumber(ARGV[3])})
local names = {}
for i = 4, #ARGV do names[#names + 1] = ARGV[i] end
return standing(KEYS[1], names)
