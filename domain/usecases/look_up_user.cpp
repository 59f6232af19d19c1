// SPDX-License-Identifier: Apache-2.0
#include "domain/usecases/look_up_user.hpp"

#include <algorithm>
#include <utility>

#include "domain/usecases/disabled_service.hpp"

namespace kbase::usecases {
namespace {
using ports::LookUpOutcome;
using std::chrono::milliseconds;

constexpr std::size_t kMaxKeyBytes = 512;  // maximum length of a cache key

/// Client ids are hashes, so no client has one of these.
constexpr model::ClientId kServer{'s', 'e', 'r', 'v', 'e', 'r'};
constexpr model::ClientId kKeyless{'k', 'e', 'y', 'l', 'e', 's', 's'};

Error user_not_found() { return {ErrorCode::NotFound, "There is no such user."}; }

/// Whether a stale cached reply is better than this error.
bool allows_stale(const Error& error) {
  return error.code == ErrorCode::Unavailable || error.code == ErrorCode::Deadline ||
         error.code == ErrorCode::BadUpstream;
}

LookUpOutcome outcome_of(const Error& error) {
  if (error.code == ErrorCode::NotFound) return LookUpOutcome::Unknown;
  return error.code == ErrorCode::Cancelled ? LookUpOutcome::Cancelled : LookUpOutcome::Failed;
}

// ---- numbers of a record, the highest byte first

void append(std::string& value, std::uint64_t number, int bytes) {
  for (int shift = 8 * (bytes - 1); shift >= 0; shift -= 8) value += static_cast<char>(number >> shift & 0xff);
}

std::uint64_t read_number(std::string_view& value, std::size_t bytes) {
  std::uint64_t number = 0;
  for (const char byte : value.substr(0, bytes)) number = number << 8 | static_cast<unsigned char>(byte);
  value.remove_prefix(bytes);
  return number;
}

constexpr char kUser = 'u';
constexpr char kNoUser = 'n';
constexpr int kTimeBytes = 8;
constexpr int kLengthBytes = 4;
constexpr std::size_t kHeadBytes = 1 + kTimeBytes + kLengthBytes;
constexpr std::uint64_t kLastTime = 253'402'300'799'999;  // end of the year 9999; prevents overflow of ages

}  // namespace

// ------------------------------------------------------------------------------------------- cache entries

/// Format: kind, time, length of the validator, validator, text.
std::string LookUpUser::encode(const Record& record) {
  std::string value;
  value.reserve(kHeadBytes + record.validator.size() + record.text.size());
  value += record.is_user ? kUser : kNoUser;
  append(value, static_cast<std::uint64_t>(record.since.time_since_epoch().count()), kTimeBytes);
  append(value, record.validator.size(), kLengthBytes);
  return value.append(record.validator).append(record.text);
}

/// nullopt: not a valid record. A shared cache may contain other data.
std::optional<LookUpUser::Record> LookUpUser::decode(std::string_view value) {
  if (value.size() < kHeadBytes || (value[0] != kUser && value[0] != kNoUser)) return std::nullopt;
  Record record;
  record.is_user = value[0] == kUser;
  value.remove_prefix(1);
  const std::uint64_t since = read_number(value, kTimeBytes);
  if (since > kLastTime) return std::nullopt;
  record.since = model::Instant(milliseconds(static_cast<std::int64_t>(since)));
  const std::uint64_t validator_bytes = read_number(value, kLengthBytes);
  if (validator_bytes > value.size()) return std::nullopt;
  record.validator = value.substr(0, validator_bytes);
  record.text = value.substr(validator_bytes);
  return record;
}

milliseconds LookUpUser::age_of(const Record& record) const { return deps_.clock.now() - record.since; }

/// A record from the future is not fresh: a clock stepped back, or another server's clock is ahead.
bool LookUpUser::is_fresh(const Record& record) const {
  const milliseconds age = age_of(record);
  return age >= milliseconds(0) && age < (record.is_user ? options_.fresh_for : options_.unknown_for);
}

/// A cache error counts as a miss.
std::optional<LookUpUser::Record> LookUpUser::find(ports::Call& call, std::string_view key, Freshness freshness) const {
  std::optional<Record> found;
  if (deps_.cache == nullptr) return found;
  const auto hit = deps_.cache->get(call, key, [&](std::string_view value) {
    found = decode(value);
    return Visit::Stop;
  });
  if (!hit || !found || (freshness == Freshness::Fresh && !is_fresh(*found)) || age_of(*found) >= options_.keep_for)
    return std::nullopt;
  return found;
}

void LookUpUser::store(ports::Call& call, std::string_view key, const Record& record) const {
  const milliseconds life = record.is_user ? options_.keep_for : options_.unknown_for;
  if (deps_.cache == nullptr || life <= milliseconds(0)) return;
  [[maybe_unused]] const auto stored = deps_.cache->put(call, key, encode(record), life);
  // A failed put does not affect the reply; the cache has its own metrics
}

ports::UserReply LookUpUser::reply_from(Record record) const {
  const auto age = std::chrono::duration_cast<std::chrono::seconds>(age_of(record));
  return {std::move(record.text), std::max(age, std::chrono::seconds(0))};
}

// ------------------------------------------------------------------------------------------- a look-up

bool LookUpUser::may_exist(std::string_view username) const {
  return !username.empty() && username.size() <= kMaxKeyBytes - options_.cache_prefix.size() &&
         deps_.host->is_username(username);
}

std::optional<ports::UserReply> LookUpUser::find_cached(std::string_view username) {
  if (deps_.host == nullptr || deps_.cache == nullptr || !deps_.cache->is_inline() || !may_exist(username))
    return std::nullopt;
  ports::Call call;
  auto record = find(call, key_of(username), Freshness::Fresh);
  if (!record || !record->is_user) return std::nullopt;
  if (deps_.on_outcome) deps_.on_outcome(LookUpOutcome::Cached);
  return reply_from(*std::move(record));
}

Result<ports::UserReply> LookUpUser::look_up(ports::Call& call, const ports::ExternalClient& client,
                                             std::string_view username) {
  if (deps_.host == nullptr) return disabled_service("code-hosting");
  if (!may_exist(username)) return report_outcome(user_not_found(), LookUpOutcome::Unknown);
  auto known = find(call, key_of(username), Freshness::Any);
  if (known && is_fresh(*known)) {
    if (!known->is_user) return report_outcome(user_not_found(), LookUpOutcome::Unknown);
    return report_outcome(reply_from(*std::move(known)), LookUpOutcome::Cached);
  }
  const auto admitted = acquire_query(call, client);
  auto reply = admitted ? query_service(call, username, known) : Result<ports::UserReply>(admitted.error());
  if (reply) return reply;
  const bool use_stale = known && known->is_user && allows_stale(reply.error());
  if (use_stale) return report_outcome(reply_from(*std::move(known)), LookUpOutcome::Stale);
  const bool is_rate_limited = !admitted && admitted.error().code == ErrorCode::Unavailable;
  const LookUpOutcome outcome = is_rate_limited ? LookUpOutcome::RateLimited : outcome_of(reply.error());
  return report_outcome(std::move(reply), outcome);
}

/// Queries the service, caches the result, and counts the outcome if it succeeds.
Result<ports::UserReply> LookUpUser::query_service(ports::Call& call, std::string_view username,
                                                   const std::optional<Record>& known) {
  const std::string key = key_of(username);
  const auto writer = deps_.make_writer();
  auto result =
      deps_.host->look_up(call, username, known ? std::string_view(known->validator) : std::string_view(), *writer);
  Record record;
  record.since = deps_.clock.now();
  if (!result) {
    record.is_user = false;
    if (result.error().code == ErrorCode::NotFound) store(call, key, record);
    return result.error();
  }
  const bool is_updated = result->outcome == ports::LookUp::Outcome::Updated;
  if (is_updated) {
    record.text = writer->finish();
    record.validator = std::move(result->validator);
  } else if (known) {
    record.text = known->text;
    record.validator = known->validator;
  }
  store(call, key, record);
  return report_outcome(ports::UserReply{std::move(record.text), std::nullopt},
                        is_updated ? LookUpOutcome::Fetched : LookUpOutcome::Confirmed);
}

Result<ports::UserReply> LookUpUser::report_outcome(Result<ports::UserReply> reply, LookUpOutcome outcome) const {
  if (deps_.on_outcome) deps_.on_outcome(outcome);
  return reply;
}

/// Clients without a key are charged to their own limit first, so that one that exceeds it does not use up the limit of
/// all.
Status LookUpUser::acquire_query(ports::Call& call, const ports::ExternalClient& client) const {
  if (call.deadline <= deps_.clock.steady())
    return Error{ErrorCode::Deadline, "There was no time left to query the code-hosting service."};
  if (!client.has_key) {
    KBASE_TRY(acquire_query(call, client.client_id, options_.cold_per_minute_keyless));
  }
  return acquire_query(call, kServer, options_.cold_per_minute);
}

Status LookUpUser::acquire_query(ports::Call& call, const model::ClientId& client_id, std::uint32_t per_minute) const {
  ports::AcquireRequest request;
  request.client_id = client_id;
  request.limits = {per_minute, 0};
  request.fallback_bucket = kKeyless;
  ports::Decision decision;
  const ports::AcquireRequest* const requests[] = {&request};
  ports::Decision* const decisions[] = {&decision};
  KBASE_TRY(deps_.query_limiter.acquire(call, requests, decisions));
  if (decision.allowed) return {};
  const milliseconds wait = std::max<milliseconds>(decision.minute.reset - deps_.clock.now(), milliseconds(1));
  return Error{ErrorCode::Unavailable,
               "The limit of queries to the code-hosting service per minute is reached. Try again later.",
               {},
               {},
               wait};
}

}  // namespace kbase::usecases
