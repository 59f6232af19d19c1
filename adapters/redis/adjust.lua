-- SPDX-License-Identifier: Apache-2.0
-- Reads and writes the first eight bytes of the header that acquire.lua writes: the UTC day and its usage. Does not
-- change the expiry of the key: the charge of that day has set it at least to the end of the day.
local key, day, more = KEYS[1], tonumber(ARGV[1]), tonumber(ARGV[2])
local head = redis.call('GETRANGE', key, 0, 7)
if #head < 8 then return 0 end
local counted_day, used = struct.unpack('<I4I4', head)
if counted_day ~= day then return 0 end
used = math.min(math.max(used + more, 0), 4294967295)
redis.call('SETRANGE', key, 4, struct.pack('<I4', used))
return 1
