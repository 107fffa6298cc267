-- note adds a line to the audit record.
--
-- KEYS  1 audit
-- ARGV  1 the line  2 retention of the record in ms  3 operation id (unused: a line that is added twice has the
--       same id inside, and readers take the first)
-- Returns 'ok'.
--
-- Prefixes: XADD is the commit point; what follows is cleaning up that the next line repeats.
note(KEYS[1], ARGV[1], ARGV[2], clock())
return 'ok'
