// SPDX-License-Identifier: Apache-2.0
#include "app/plugin_host/user_sink.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "app/plugin_host/lent_instants.hpp"
#include "plugins/sdk/translation.hpp"

namespace kbase::plugin_host {
namespace {

using sdk::text_of;

constexpr std::uint64_t kMostRows = 20'000;
constexpr std::size_t kMostTopics = 1'000;
constexpr std::size_t kMostBytes = std::size_t{8} << 20;
constexpr std::size_t kMostValidatorBytes = std::size_t{64} << 10;
constexpr std::chrono::days kLongestPeriod{732};
/// Shares are sums of rounded numbers.
constexpr double kShareTolerance = 1e-3;

constexpr Fault kNoName = "lent a name that is empty";
constexpr Fault kOutOfOrder = "told a part out of order, or the same one again";

Fault first_of(std::initializer_list<Fault> faults) noexcept {
  const auto* found = std::find_if(faults.begin(), faults.end(), [](Fault fault) { return fault != nullptr; });
  return found == faults.end() ? nullptr : *found;
}

std::optional<std::uint64_t> number_of(std::uint64_t lent) noexcept {
  return lent == KB_UNKNOWN_NUMBER ? std::nullopt : std::optional(lent);
}

std::optional<bool> answer_of(std::int32_t lent) noexcept {
  return lent < 0 ? std::nullopt : std::optional(lent != 0);
}

}  // namespace

// ------------------------------------------------------------------------------------------- one row

/// Checks the order of parts: one profile, one period of contributions, and any number of the others.
Fault UserReader::move_to(Part part) noexcept {
  const bool is_first = part_ == Part::Nothing;
  const bool goes_on = part == part_ && part != Part::Profile && part != Part::Contributions;
  if (is_first ? part != Part::Profile : part < part_ || (part == part_ && !goes_on)) return kOutOfOrder;
  if (part == Part::Days && part_ < Part::Contributions) return kOutOfOrder;
  part_ = part;
  return nullptr;
}

Fault UserReader::read_text(kb_view lent, std::string_view& text) noexcept {
  if (!is_sound(lent)) return kNoText;
  bytes_ += lent.size;
  if (bytes_ > kMostBytes) return "told more than 8 MiB of texts";
  text = text_of(lent);
  return is_utf8(text) ? nullptr : kNoUtf8;
}

Fault UserReader::read_text(kb_view lent, std::optional<std::string_view>& text) noexcept {
  text.reset();
  if (lent.data == nullptr && lent.size == 0) return nullptr;
  return read_text(lent, text.emplace());
}

Fault UserReader::read_name(kb_view lent, std::string_view& name) noexcept {
  return lent.size == 0 ? kNoName : read_text(lent, name);
}

Fault UserReader::read_time(kb_view lent, std::optional<model::Instant>& instant) noexcept {
  std::optional<std::string_view> text;
  if (const Fault fault = read_text(lent, text)) return fault;
  instant = text ? model::parse_instant(*text) : std::nullopt;
  return text.has_value() == instant.has_value() ? nullptr : "lent a time that is not YYYY-MM-DDTHH:MM:SSZ";
}

Fault UserReader::read_topics(const kb_repository& lent, ports::Repository& row) {
  row.topics.reset();
  if (lent.topics == nullptr) return lent.topic_count == 0 ? nullptr : kNoList;
  if (lent.topic_count > kMostTopics) return "lent a repository of more than 1,000 topics";
  const auto topics = topics_.of(lent.topic_count);
  for (std::size_t i = 0; i < topics.size(); ++i)
    if (const Fault fault = read_text(lent.topics[i], topics[i])) return fault;
  row.topics = topics;
  return nullptr;
}

Fault UserReader::read(const kb_profile* lent, ports::UserProfile& row) {
  if (lent == nullptr || !KB_HAS(lent, public_repositories)) return kNoStruct;
  row.followers = number_of(lent->followers);
  row.following = number_of(lent->following);
  row.public_repositories = number_of(lent->public_repositories);
  return first_of({move_to(Part::Profile), read_name(lent->username, row.username), read_text(lent->name, row.name),
                   read_text(lent->bio, row.bio), read_text(lent->company, row.company),
                   read_text(lent->location, row.location), read_text(lent->website, row.website),
                   read_text(lent->avatar_url, row.avatar_url), read_text(lent->profile_url, row.profile_url),
                   read_time(lent->created, row.created)});
}

Fault UserReader::read(const kb_repository* lent, ports::Repository& row) {
  if (lent == nullptr || !KB_HAS(lent, forks)) return kNoStruct;
  row.is_fork = answer_of(lent->is_fork);
  row.is_archived = answer_of(lent->is_archived);
  row.stars = number_of(lent->stars);
  row.forks = number_of(lent->forks);
  return first_of({move_to(Part::Repositories), read_name(lent->name, row.name),
                   read_name(lent->full_name, row.full_name), read_text(lent->description, row.description),
                   read_text(lent->url, row.url), read_text(lent->language, row.language),
                   read_time(lent->created, row.created), read_time(lent->updated, row.updated),
                   read_topics(*lent, row)});
}

Fault UserReader::read(const kb_contributions* lent, ports::Contributions& row) {
  if (lent == nullptr || !KB_HAS(lent, source)) return kNoStruct;
  if (const Fault fault = move_to(Part::Contributions)) return fault;
  if (!is_calendar_day(lent->first_day) || !is_calendar_day(lent->last_day)) return kNoDay;
  row.first = sdk::day_of(lent->first_day);
  row.last = sdk::day_of(lent->last_day);
  if (row.last < row.first || row.last - row.first >= kLongestPeriod) return "lent a period of no day, or above 732";
  next_day_ = row.first;
  last_day_ = row.last;
  return read_name(lent->source, row.source);
}

Fault UserReader::read(std::int32_t day, std::uint64_t, model::Day& row) {
  if (const Fault fault = move_to(Part::Days)) return fault;
  if (!is_calendar_day(day)) return kNoDay;
  row = sdk::day_of(day);
  if (row < next_day_ || row > last_day_) return "told a day outside the period, or not after the one before";
  next_day_ = row + std::chrono::days(1);
  return nullptr;
}

Fault UserReader::read(kb_view name, double share, std::string_view& row) {
  if (const Fault fault = first_of({move_to(Part::Languages), read_name(name, row)})) return fault;
  if (!std::isfinite(share) || share < 0) return "told a share that is no number of at least 0";
  shares_ += share;
  return languages_.emplace(row).second ? nullptr : "told a language twice";
}

Fault UserReader::missing() const noexcept {
  if (part_ == Part::Nothing) return "said KB_OK and told no profile";
  const bool sums_up = languages_.empty() || std::abs(shares_ - 1) <= kShareTolerance;
  return sums_up ? nullptr : "told shares of languages that do not sum to 1";
}

// ------------------------------------------------------------------------------------------- the sinks

UserSink::UserSink(CallFrame& frame, ports::UserVisitor& visitor) noexcept
    : frame_(frame),
      visitor_(visitor),
      table_{sizeof(kb_code_host_sink), 0,        this,          take_profile,  take_repository,
             take_contributions,        take_day, take_language, take_validator} {
  frame.attach(*this, kMostRows);
}

void UserSink::check_whole() noexcept {
  if (const Fault fault = reader_.missing()) frame_.report_violation(fault);
}

std::int32_t UserSink::take_profile(void* data, const kb_profile* lent) noexcept {
  UserSink* const self = CallFrame::sink_of<UserSink>(data);
  if (self == nullptr) return CallFrame::kStop;
  ports::UserProfile row;
  const auto show = [self](const ports::UserProfile& profile) { return self->visitor_.profile(profile); };
  return self->frame_.take_row(self->reader_, row, show, lent);
}

std::int32_t UserSink::take_repository(void* data, const kb_repository* lent) noexcept {
  UserSink* const self = CallFrame::sink_of<UserSink>(data);
  if (self == nullptr) return CallFrame::kStop;
  ports::Repository row;
  const auto show = [self](const ports::Repository& repository) { return self->visitor_.repository(repository); };
  return self->frame_.take_row(self->reader_, row, show, lent);
}

std::int32_t UserSink::take_contributions(void* data, const kb_contributions* lent) noexcept {
  UserSink* const self = CallFrame::sink_of<UserSink>(data);
  if (self == nullptr) return CallFrame::kStop;
  ports::Contributions row;
  const auto show = [self](const ports::Contributions& period) { return self->visitor_.contributions(period); };
  return self->frame_.take_row(self->reader_, row, show, lent);
}

std::int32_t UserSink::take_day(void* data, std::int32_t day, std::uint64_t count) noexcept {
  UserSink* const self = CallFrame::sink_of<UserSink>(data);
  if (self == nullptr) return CallFrame::kStop;
  model::Day row;
  const auto show = [self, count](model::Day told) { return self->visitor_.contribution_day(told, count); };
  return self->frame_.take_row(self->reader_, row, show, day, count);
}

std::int32_t UserSink::take_language(void* data, kb_view name, double share) noexcept {
  UserSink* const self = CallFrame::sink_of<UserSink>(data);
  if (self == nullptr) return CallFrame::kStop;
  std::string_view row;
  const auto show = [self, share](std::string_view told) { return self->visitor_.language(told, share); };
  return self->frame_.take_row(self->reader_, row, show, name, share);
}

void UserSink::take_validator(void* data, kb_view validator) noexcept {
  UserSink* const self = CallFrame::sink_of<UserSink>(data);
  if (self == nullptr) return;
  if (!is_sound(validator) || validator.size > kMostValidatorBytes || !is_utf8(text_of(validator))) {
    self->frame_.report_violation("lent a validator that is no text of at most 64 KiB");
    return;
  }
  try {
    self->validator_ = text_of(validator);
  } catch (...) {
    self->frame_.park();
  }
}

}  // namespace kbase::plugin_host
