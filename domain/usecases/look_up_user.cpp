// SPDX-License-Identifier: Apache-2.0
#include "domain/usecases/look_up_user.hpp"

#include <algorithm>
#include <utility>

namespace kbase::usecases {
namespace {

using model::ErrorCode;
using ports::LookUpEnd;
using std::chrono::milliseconds;

constexpr std::size_t kMaxKeyBytes = 512;  // maximum length of a cache key

/// Client ids are hashes, so no client has one of these.
constexpr model::ClientId kServer{'s', 'e', 'r', 'v', 'e', 'r'};
constexpr model::ClientId kKeyless{'k', 'e', 'y', 'l', 'e', 's', 's'};

model::Error nobody() {
  return {ErrorCode::NotFound, "There is no such user.", {}, {}, {}};
}

/// Whether a stale cached answer is better than this error.
bool can_be_stood_in_for(const model::Error& error) {
  return error.code == ErrorCode::Unavailable || error.code == ErrorCode::Deadline ||
         error.code == ErrorCode::BadUpstream;
}

LookUpEnd end_of(const model::Error& error) {
  if (error.code == ErrorCode::NotFound) return LookUpEnd::Unknown;
  return error.code == ErrorCode::Cancelled ? LookUpEnd::Cancelled : LookUpEnd::Failed;
}

// ---- numbers of a record, the highest byte first

void append(std::string& value, std::uint64_t number, int bytes) {
  for (int shift = 8 * (bytes - 1); shift >= 0; shift -= 8) value += static_cast<char>(number >> shift & 0xff);
}

std::uint64_t take_number(std::string_view& value, std::size_t bytes) {
  std::uint64_t number = 0;
  for (const char byte : value.substr(0, bytes)) number = number << 8 | static_cast<unsigned char>(byte);
  value.remove_prefix(bytes);
  return number;
}

constexpr char kUser = 'u';
constexpr char kNobody = 'n';
constexpr int kTimeBytes = 8;
constexpr int kLengthBytes = 4;
constexpr std::size_t kHeadBytes = 1 + kTimeBytes + kLengthBytes;
constexpr std::uint64_t kLastTime = 253'402'300'799'999;  // end of the year 9999; prevents overflow of ages

}  // namespace

// ------------------------------------------------------------------------------------------- what is kept

/// Format: kind, time, length of the validator, validator, text.
std::string LookUpUser::encode(const Record& record) {
  std::string value;
  value.reserve(kHeadBytes + record.validator.size() + record.text.size());
  value += record.is_user ? kUser : kNobody;
  append(value, static_cast<std::uint64_t>(record.since.time_since_epoch().count()), kTimeBytes);
  append(value, record.validator.size(), kLengthBytes);
  return value.append(record.validator).append(record.text);
}

/// nullopt: not a valid record. A shared cache may contain other data.
std::optional<LookUpUser::Record> LookUpUser::decode(std::string_view value) {
  if (value.size() < kHeadBytes || (value[0] != kUser && value[0] != kNobody)) return std::nullopt;
  Record record;
  record.is_user = value[0] == kUser;
  value.remove_prefix(1);
  const std::uint64_t since = take_number(value, kTimeBytes);
  if (since > kLastTime) return std::nullopt;
  record.since = model::Instant(milliseconds(static_cast<std::int64_t>(since)));
  const std::uint64_t validator_bytes = take_number(value, kLengthBytes);
  if (validator_bytes > value.size()) return std::nullopt;
  record.validator = value.substr(0, validator_bytes);
  record.text = value.substr(validator_bytes);
  return record;
}

milliseconds LookUpUser::age_of(const Record& record) const {
  return parts_.clock.now() - record.since;
}

/// A record from the future is not fresh: a clock stepped back, or another server's clock is ahead.
bool LookUpUser::is_fresh(const Record& record) const {
  const milliseconds age = age_of(record);
  return age >= milliseconds(0) && age < (record.is_user ? options_.fresh_for : options_.unknown_for);
}

/// A cache error counts as a miss.
std::optional<LookUpUser::Record> LookUpUser::find(ports::Call& call, std::string_view key, Wanted wanted) const {
  std::optional<Record> found;
  if (parts_.cache == nullptr) return found;
  const auto hit = parts_.cache->get(call, key, [&](std::string_view value) {
    found = decode(value);
    return model::Visit::Stop;
  });
  if (!hit || !found || (wanted == Wanted::Fresh && !is_fresh(*found)) || age_of(*found) >= options_.keep_for)
    return std::nullopt;
  return found;
}

void LookUpUser::keep(ports::Call& call, std::string_view key, const Record& record) const {
  const milliseconds life = record.is_user ? options_.keep_for : options_.unknown_for;
  if (parts_.cache == nullptr || life <= milliseconds(0)) return;
  const auto kept = parts_.cache->put(call, key, encode(record), life);
  (void)kept;  // a failed put does not affect the answer; the cache has its own metrics
}

ports::UserAnswer LookUpUser::aged(Record record) const {
  const auto age = std::chrono::duration_cast<std::chrono::seconds>(age_of(record));
  return {std::move(record.text), std::max(age, std::chrono::seconds(0))};
}

// ------------------------------------------------------------------------------------------- a look-up

bool LookUpUser::could_be(std::string_view username) const {
  return !username.empty() && username.size() <= kMaxKeyBytes - options_.cache_prefix.size() &&
         parts_.host->is_username(username);
}

std::optional<ports::UserAnswer> LookUpUser::kept(std::string_view username) {
  if (parts_.host == nullptr || parts_.cache == nullptr || !parts_.cache->is_inline() || !could_be(username))
    return std::nullopt;
  ports::Call call;
  auto record = find(call, key_of(username), Wanted::Fresh);
  if (!record || !record->is_user) return std::nullopt;
  if (parts_.counts != nullptr) parts_.counts->count(LookUpEnd::Kept);
  return aged(*std::move(record));
}

model::Result<ports::UserAnswer> LookUpUser::look_up(ports::Call& call, const ports::ExternalClient& client,
                                                     std::string_view username) {
  if (parts_.host == nullptr)
    return model::Error{ErrorCode::Unavailable, "The code-hosting service is not enabled on this server.", {}, {}, {}};
  if (!could_be(username)) return counted(nobody(), LookUpEnd::Unknown);
  auto known = find(call, key_of(username), Wanted::Any);
  if (known && is_fresh(*known)) {
    if (!known->is_user) return counted(nobody(), LookUpEnd::Unknown);
    return counted(aged(*std::move(known)), LookUpEnd::Kept);
  }
  const auto turn = take_turn(call, client);
  auto asked = turn ? ask(call, username, known) : model::Result<ports::UserAnswer>(turn.error());
  if (asked) return asked;
  const bool stands_in = known && known->is_user && can_be_stood_in_for(asked.error());
  if (stands_in) return counted(aged(*std::move(known)), LookUpEnd::StoodIn);
  const bool is_refused = !turn && turn.error().code == ErrorCode::Unavailable;
  const LookUpEnd end = is_refused ? LookUpEnd::Refused : end_of(asked.error());
  return counted(std::move(asked), end);
}

/// Queries the service, caches the result, and counts the outcome if it succeeds.
model::Result<ports::UserAnswer> LookUpUser::ask(ports::Call& call, std::string_view username,
                                                 const std::optional<Record>& known) {
  const std::string key = key_of(username);
  const auto writer = parts_.writers.begin();
  auto told =
      parts_.host->look_up(call, username, known ? std::string_view(known->validator) : std::string_view(), *writer);
  Record record;
  record.since = parts_.clock.now();
  if (!told) {
    record.is_user = false;
    if (told.error().code == ErrorCode::NotFound) keep(call, key, record);
    return told.error();
  }
  const bool is_told = told->outcome == ports::LookUp::Outcome::Told;
  if (is_told) {
    record.text = writer->finish();
    record.validator = std::move(told->validator);
  } else if (known) {
    record.text = known->text;
    record.validator = known->validator;
  }
  keep(call, key, record);
  return counted(ports::UserAnswer{std::move(record.text), std::nullopt},
                 is_told ? LookUpEnd::Told : LookUpEnd::Confirmed);
}

model::Result<ports::UserAnswer> LookUpUser::counted(model::Result<ports::UserAnswer> answer, LookUpEnd end) const {
  if (parts_.counts != nullptr) parts_.counts->count(end);
  return answer;
}

/// Clients without a key are charged to their own limit first, so that one that exceeds it does not use up the limit of
/// all.
model::Status LookUpUser::take_turn(ports::Call& call, const ports::ExternalClient& client) const {
  if (call.deadline <= parts_.clock.steady())
    return model::Error{ErrorCode::Deadline, "The code-hosting service could not be asked in time.", {}, {}, {}};
  if (!client.has_key) {
    if (auto decision = take_turn(call, client.client_id, options_.cold_per_minute_keyless); !decision) return decision;
  }
  return take_turn(call, kServer, options_.cold_per_minute);
}

model::Status LookUpUser::take_turn(ports::Call& call, const model::ClientId& client_id,
                                    std::uint32_t per_minute) const {
  ports::AcquireRequest request;
  request.client_id = client_id;
  request.limits = {per_minute, 0};
  request.fallback_bucket = kKeyless;
  ports::Decision decision;
  const ports::AcquireRequest* const requests[] = {&request};
  ports::Decision* const answers[] = {&decision};
  if (auto asked = parts_.turns.acquire(call, requests, answers); !asked) return asked;
  if (decision.allowed) return {};
  const milliseconds wait = std::max<milliseconds>(decision.minute.reset - parts_.clock.now(), milliseconds(1));
  return model::Error{ErrorCode::Unavailable,
                      "The code-hosting service was asked about too many users within a minute; try again later.",
                      {},
                      {},
                      wait};
}

}  // namespace kbase::usecases
