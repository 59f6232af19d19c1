-- SPDX-License-Identifier: Apache-2.0
-- The state of a client is one string: a header of 32 bytes, then the charges of the last minute, 8 bytes each (time
-- in milliseconds, amount), oldest first. Charges older than a minute stay at the front until they make up half of the
-- string, so that the cost of a call does not depend on their number.
--
-- Header: the UTC day and its usage; the time of the newest charge; how far the minute's time is ahead of the clock;
-- the usage of the minute; the number of expired charges at the front. The stored day is ahead of today if the clock
-- stepped back: it is kept if it begins within an hour, else reset to today. The minute's time is ahead of the clock
-- only if the clock stepped back: it then stands still until the clock advances, as if all charges had been made
-- earlier. All numbers are little-endian. Charges store the low 32 bits of their millisecond, which is enough because
-- they lie within a minute.
--
-- Every write sets the expiry: to the time when nothing counts any more, and at least one minute, because the caller's
-- clock can stand still at the end of a day while the clock of Redis advances. The first write is SETRANGE or SET,
-- which a full server rejects before anything has changed.
local key = KEYS[1]
local cost, per_minute, per_day = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
local now = tonumber(ARGV[4])
if not now then
  local time = redis.call('TIME')
  now = time[1] * 1000 + math.floor(time[2] / 1000)
end
local MINUTE, HOUR, DAY, HEAD, CHARGE = 60000, 3600000, 86400000, 32, 8

local today = math.floor(now / DAY)
local day, day_used, newest, ahead, used, left = today, 0, 0, 0, 0, 0
local head = redis.call('GETRANGE', key, 0, HEAD - 1)
if #head == HEAD then day, day_used, newest, ahead, used, left = struct.unpack('<I4I4ddI4I4', head) end
local changed = false

if day < today then day_used = 0 end
if (day_used == 0 or day * DAY - now > HOUR) and day ~= today then
  day = today
  changed = #head > 0
end

local time = now
local reset = MINUTE
if used > 0 then
  time = now + ahead
  if time < newest then
    ahead, time, changed = newest - now, newest, true
  end
  if time - newest >= MINUTE then
    used, changed = 0, true
  end
end
if used > 0 then
  local charges, at, low, charged = '', 1
  repeat
    if at > #charges then
      local from = HEAD + left * CHARGE
      charges, at = redis.call('GETRANGE', key, from, from + 32 * CHARGE - 1), 1
    end
    low, charged, at = struct.unpack('<I4I4', charges, at)
    reset = MINUTE - (time - low) % 4294967296
    if reset <= 0 then
      used, left, changed = used - charged, left + 1, true
    end
  until reset > 0
else
  time, ahead, left = now, 0, 0
end

local minute_left, day_left = math.max(per_minute - used, 0), math.max(per_day - day_used, 0)
local allowed = (per_minute == 0 or cost <= minute_left) and (per_day == 0 or cost <= day_left)

local charge
if allowed and cost > 0 and (per_minute > 0 or per_day > 0) then
  changed = true
  if per_day > 0 then
    day_used, day_left = day_used + cost, day_left - cost
  end
  if per_minute > 0 then
    charge, minute_left = struct.pack('<I4I4', time % 4294967296, cost), minute_left - cost
  end
end

if changed then
  local was_empty, same = used == 0, used > 0 and time == newest
  if charge then
    used, newest = used + cost, time
  end
  head = struct.pack('<I4I4ddI4I4', day, day_used, newest, ahead, used, left)
  if was_empty then
    redis.call('SET', key, head .. (charge or ''))
  else
    redis.call('SETRANGE', key, 0, head)
    local size = redis.call('STRLEN', key)
    if charge and same then
      local last = redis.call('GETRANGE', key, size - 4, size - 1)
      redis.call('SETRANGE', key, size - 4, struct.pack('<I4', struct.unpack('<I4', last) + cost))
    elseif charge then
      redis.call('APPEND', key, charge)
    end
    if left >= 32 and left * CHARGE * 2 >= size then
      head = struct.pack('<I4I4ddI4I4', day, day_used, newest, ahead, used, 0)
      redis.call('SET', key, head .. redis.call('GETRANGE', key, HEAD + left * CHARGE, -1))
    end
  end
  local expiry = MINUTE
  if day_used > 0 then expiry = math.max(expiry, (day + 1) * DAY - now) end
  redis.call('PEXPIRE', key, expiry)
end
return {allowed and 1 or 0, minute_left, now + reset, day_left, (day + 1) * DAY}
