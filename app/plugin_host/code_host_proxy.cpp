// SPDX-License-Identifier: Apache-2.0
#include <chrono>
#include <cmath>
#include <functional>
#include <set>
#include <string>
#include <utility>

#include "app/plugin_host/custom_proxies.hpp"
#include "app/plugin_host/row_sink.hpp"
#include "domain/base/result.hpp"

namespace kbase::plugin_host {
namespace {

constexpr std::uint64_t kMaxRows = 20'000;
constexpr std::size_t kMaxTopics = 1'000;
constexpr std::size_t kMaxBytes = std::size_t{8} << 20;
constexpr std::size_t kMaxValidatorBytes = std::size_t{64} << 10;
constexpr std::chrono::days kLongestPeriod{732};
/// Shares are sums of rounded numbers.
constexpr double kShareTolerance = 1e-3;

/// In the order in which the parts may arrive.
enum class Part { Nothing, Profile, Repositories, Contributions, Days, Languages };

/// Checks that the parts of a look-up fit together: one profile, one period of contributions, any number of the others.
class PartsCheck {
 public:
  sdk::Violation check(const ports::UserProfile&) noexcept { return move_to(Part::Profile); }

  sdk::Violation check(const ports::Repository& repository) noexcept {
    if (repository.topics && repository.topics->size() > kMaxTopics)
      return "passed a repository with more than 1,000 topics";
    return move_to(Part::Repositories);
  }

  sdk::Violation check(const ports::Contributions& contributions) noexcept {
    if (contributions.last < contributions.first || contributions.last - contributions.first >= kLongestPeriod)
      return "passed a period without days, or of more than 732 days";
    next_day_ = contributions.first;
    last_day_ = contributions.last;
    return move_to(Part::Contributions);
  }

  sdk::Violation check(model::Day day) noexcept {
    if (day < next_day_ || day > last_day_) return "passed a day outside the period, or not after the previous day";
    next_day_ = day + std::chrono::days(1);
    return part_ < Part::Contributions ? kOutOfOrder : move_to(Part::Days);
  }

  sdk::Violation check(std::string_view language, double share) {
    if (!std::isfinite(share) || share < 0) return "passed a share that is not a number of at least 0";
    shares_ += share;
    return languages_.emplace(language).second ? move_to(Part::Languages) : "passed a language twice";
  }

  /// The violation if a finished look-up is incomplete; null: it is complete.
  sdk::Violation missing() const noexcept {
    if (part_ == Part::Nothing) return "returned KB_OK without a profile";
    const bool is_complete = languages_.empty() || std::abs(shares_ - 1) <= kShareTolerance;
    return is_complete ? nullptr : "passed shares of languages whose sum is not 1";
  }

 private:
  static constexpr sdk::Violation kOutOfOrder = "passed a part out of order, or a second time";

  sdk::Violation move_to(Part part) noexcept {
    const bool may_repeat = part != Part::Profile && part != Part::Contributions;
    const bool is_valid =
        part_ == Part::Nothing ? part == Part::Profile : part > part_ || (part == part_ && may_repeat);
    part_ = part;
    return is_valid ? nullptr : kOutOfOrder;
  }

  Part part_ = Part::Nothing;
  model::Day next_day_{}, last_day_{};
  std::set<std::string, std::less<>> languages_;
  double shares_ = 0;
};

/// The sinks of a look-up: passes rows to the visitor and stores the validator. See RowSink.
class UserSink {
 public:
  UserSink(CallFrame& frame, ports::UserVisitor& user) noexcept
      : frame_(frame), visitor_(user), from_c_(frame.is_validating()) {
    frame.attach(*this, kMaxRows);
    table_ = sdk::sized<kb_code_host_sink>();
    table_.data = this;
    table_.profile = [](void* data, const kb_profile* row) {
      return receive<ports::UserProfile>(data, row, [](auto& visitor, auto& value) { return visitor.profile(value); });
    };
    table_.repository = [](void* data, const kb_repository* row) {
      return receive<ports::Repository>(data, row,
                                        [](auto& visitor, auto& value) { return visitor.repository(value); });
    };
    table_.contributions = [](void* data, const kb_contributions* row) {
      return receive<ports::Contributions>(data, row,
                                           [](auto& visitor, auto& value) { return visitor.contributions(value); });
    };
    table_.contribution_day = receive_day;
    table_.language = receive_language;
    table_.validator = receive_validator;
  }

  const kb_code_host_sink& table() const noexcept { return table_; }
  std::string& validator() noexcept { return validator_; }

  /// Reports a violation if the finished look-up is incomplete.
  void check_completeness() noexcept {
    if (const sdk::Violation violation = parts_.missing()) frame_.report_violation(violation);
  }

 private:
  template <class Value, class Row, class Visit>
  static std::int32_t receive(void* data, const Row* row, Visit visit) noexcept {
    UserSink* const self = CallFrame::sink_of<UserSink>(data);
    if (self == nullptr) return CallFrame::kStop;
    RowReader<Row, Value> reader(self->frame_.is_validating());
    return self->frame_.receive(
        [&]() -> sdk::Violation {
          if (const sdk::Violation violation = reader.read(row)) return violation;
          self->bytes_ += reader.text_bytes();
          if (self->bytes_ > kMaxBytes) return "passed more than 8 MiB of texts";
          return self->parts_.check(reader.value());
        },
        [&] { return visit(self->visitor_, reader.value()); });
  }

  static std::int32_t receive_day(void* data, std::int32_t number, std::uint64_t count) noexcept {
    UserSink* const self = CallFrame::sink_of<UserSink>(data);
    if (self == nullptr) return CallFrame::kStop;
    model::Day day;
    return self->frame_.receive(
        [&] {
          self->from_c_.day(number, day);
          return self->from_c_.violation() != nullptr ? self->from_c_.violation() : self->parts_.check(day);
        },
        [&] { return self->visitor_.contribution_day(day, count); });
  }

  static std::int32_t receive_language(void* data, kb_view view, double share) noexcept {
    UserSink* const self = CallFrame::sink_of<UserSink>(data);
    if (self == nullptr) return CallFrame::kStop;
    std::string_view name;
    return self->frame_.receive(
        [&] {
          self->from_c_.name(view, name);
          return self->from_c_.violation() != nullptr ? self->from_c_.violation() : self->parts_.check(name, share);
        },
        [&] { return self->visitor_.language(name, share); });
  }

  static void receive_validator(void* data, kb_view view) noexcept {
    UserSink* const self = CallFrame::sink_of<UserSink>(data);
    if (self == nullptr) return;
    try {
      std::string_view validator;
      self->from_c_.text(view, validator);
      if (self->from_c_.violation() != nullptr || validator.size() > kMaxValidatorBytes)
        self->frame_.report_violation("passed a validator that is not a text of at most 64 KiB");
      else
        self->validator_ = validator;
    } catch (...) {
      self->frame_.store_exception();
    }
  }

  CallFrame& frame_;
  ports::UserVisitor& visitor_;
  sdk::FromC from_c_;
  PartsCheck parts_;
  std::size_t bytes_ = 0;
  std::string validator_;
  kb_code_host_sink table_;
};

}  // namespace

bool CodeHostProxy::is_username(std::string_view username) const noexcept {
  bool is_valid = false;
  instance_->run("code_host.is_username", [&] { is_valid = table_.is_username(handle_, sdk::view_of(username)) != 0; });
  return is_valid;
}

Result<ports::LookUp> CodeHostProxy::look_up(ports::Call& call, std::string_view username, std::string_view validator,
                                             ports::UserVisitor& visitor) {
  CallFrame frame = instance_->frame("code_host.look_up", call);
  UserSink sink(frame, visitor);
  std::int32_t unchanged = 0;
  const kb_status status = frame.run(table_.look_up, handle_, frame.call(), sdk::view_of(username),
                                     sdk::view_of(validator), &sink.table(), &unchanged);
  const bool is_unchanged = status == KB_OK && unchanged != 0;
  if (is_unchanged && (validator.empty() || frame.rows() != 0))
    frame.report_violation("returned `unchanged` without a validator, or after a row");
  if (status == KB_OK && !is_unchanged) sink.check_completeness();
  if (status == KB_NOT_FOUND && frame.rows() != 0) frame.report_violation("passed a row and returned KB_NOT_FOUND");
  KBASE_TRY(frame.finish_found(status, "There is no such user."));
  if (is_unchanged) return ports::LookUp{ports::LookUp::Outcome::Unchanged, {}};
  return ports::LookUp{ports::LookUp::Outcome::Updated, std::move(sink.validator())};
}

}  // namespace kbase::plugin_host
