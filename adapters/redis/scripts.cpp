// SPDX-License-Identifier: Apache-2.0
#include "adapters/redis/scripts.hpp"

#include <openssl/evp.h>

#include <array>
#include <chrono>
#include <new>
#include <string>
#include <vector>

namespace kbase::redis {
namespace {

std::string hex_sha1(std::string_view text) {
  std::array<unsigned char, EVP_MAX_MD_SIZE> bytes{};
  unsigned size = 0;
  if (EVP_Digest(text.data(), text.size(), bytes.data(), &size, EVP_sha1(), nullptr) != 1) throw std::bad_alloc();
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string digits;
  for (unsigned i = 0; i < size; ++i) {
    digits += kDigits[bytes[i] / 16];
    digits += kDigits[bytes[i] % 16];
  }
  return digits;
}

/// The state of a client is one string: a header of 32 bytes, then the charges of the last minute, 8 bytes each (time
/// in milliseconds, amount), oldest first. Charges older than a minute stay at the front until they make up half of the
/// string, so that the cost of a call does not depend on their number.
///
/// Header: the UTC day and its usage; the time of the newest charge; how far the minute's time is ahead of the clock;
/// the usage of the minute; the number of expired charges at the front. The stored day is ahead of today if the clock
/// stepped back: it is kept if it begins within an hour, else reset to today. The minute's time is ahead of the clock
/// only if the clock stepped back: it then stands still until the clock advances, as if all charges had been made
/// earlier. All numbers are little-endian. Charges store the low 32 bits of their millisecond, which is enough because
/// they lie within a minute.
///
/// Every write sets the expiry: to the time when nothing counts any more, and at least one minute, because the caller's
/// clock can stand still at the end of a day while the clock of Redis advances. The first write is SETRANGE or SET,
/// which a full server rejects before anything has changed.
constexpr std::string_view kAcquireScript = R"(
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
)";

std::uint32_t to_count(const Reply& reply) {
  return static_cast<std::uint32_t>(reply.integer);
}

model::Instant to_instant(const Reply& reply) {
  return model::Instant(std::chrono::milliseconds(reply.integer));
}

/// Reads and writes the first eight bytes of the header that AcquireScript writes: the UTC day and its usage. Does not
/// change the expiry of the key: the charge of that day has set it at least to the end of the day.
constexpr std::string_view kAdjustScript = R"(
local key, day, more = KEYS[1], tonumber(ARGV[1]), tonumber(ARGV[2])
local head = redis.call('GETRANGE', key, 0, 7)
if #head < 8 then return 0 end
local counted_day, used = struct.unpack('<I4I4', head)
if counted_day ~= day then return 0 end
used = math.min(math.max(used + more, 0), 4294967295)
redis.call('SETRANGE', key, 4, struct.pack('<I4', used))
return 1
)";

}  // namespace

Script::Script(std::string_view text) : text_(text), digest_(hex_sha1(text)) {}

Commands Script::build_command(Form form, std::string_view key,
                               std::initializer_list<std::string_view> arguments) const {
  const bool is_full_text = form == Form::FullText;
  std::vector<std::string_view> words{is_full_text ? "EVAL" : "EVALSHA",
                                      is_full_text ? text_ : std::string_view(digest_), "1", key};
  words.insert(words.end(), arguments.begin(), arguments.end());
  Commands commands;
  commands.add(words);
  return commands;
}

AcquireScript::AcquireScript() : script_(kAcquireScript) {}

std::string_view AcquireScript::text() {
  return kAcquireScript;
}

Commands AcquireScript::build_command(Script::Form form, std::string_view key, const ports::AcquireRequest& request,
                                      std::optional<model::Instant> now) const {
  const std::string cost = std::to_string(request.is_charge() ? request.cost : 0);
  const std::string per_minute = std::to_string(request.limits.per_minute);
  const std::string per_day = std::to_string(request.limits.per_day);
  if (!now) return script_.build_command(form, key, {cost, per_minute, per_day});
  return script_.build_command(form, key, {cost, per_minute, per_day, std::to_string(now->time_since_epoch().count())});
}

std::optional<ports::Decision> AcquireScript::parse_decision(const Reply& reply) {
  if (reply.elements.size() != 5) return std::nullopt;
  ports::Decision decision;
  decision.allowed = reply.elements[0].integer == 1;
  decision.minute = {to_count(reply.elements[1]), to_instant(reply.elements[2])};
  decision.day = {to_count(reply.elements[3]), to_instant(reply.elements[4])};
  return decision;
}

AdjustScript::AdjustScript() : script_(kAdjustScript) {}

Commands AdjustScript::build_command(Script::Form form, std::string_view key, model::Instant day_end,
                                     std::int64_t difference) const {
  const auto day = model::day_of(day_end - std::chrono::milliseconds(1)).time_since_epoch().count();
  return script_.build_command(form, key, {std::to_string(day), std::to_string(difference)});
}

}  // namespace kbase::redis
