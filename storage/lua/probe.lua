-- probe writes what nobody reads, as any change would be written.
--
-- KEYS  1 probe
-- ARGV  1 life in ms
-- Returns {'ok'}.
redis.call('SET', KEYS[1], '', 'PX', ARGV[1])
return {'ok'}
