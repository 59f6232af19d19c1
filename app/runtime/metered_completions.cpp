// SPDX-License-Identifier: Apache-2.0
#include "app/runtime/metered_completions.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <optional>

namespace kbase::runtime {
namespace {

constexpr std::array<double, 9> kBounds = {0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30};  // seconds

ports::Counter& completion_counter(ports::Metrics& metrics, std::string_view outcome) {
  return metrics.counter("kbase_llm_completions_total", "Prompts, by outcome.", {{"outcome", outcome}});
}

ports::Counter& token_counter(ports::Metrics& metrics, std::string_view of) {
  return metrics.counter("kbase_llm_tokens_total", "Tokens of completions, as counted by the language model service.",
                         {{"of", of}});
}

/// Poll interval of a waiting caller: the cancellation of a call does not notify `ended_`.
constexpr std::chrono::milliseconds kPollInterval{50};

}  // namespace

/// Counts one stream as open from its first piece until destruction.
class MeteredCompletions::Stream {
 public:
  explicit Stream(MeteredCompletions& metered) : metered_(metered), started_(metered.clock_.steady()) {}
  ~Stream() {
    if (has_begun_) metered_.open_streams_.add(-1);
  }
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;

  void begin() {
    if (has_begun_) return;
    has_begun_ = true;
    metered_.open_streams_.add(1);
    metered_.first_piece_seconds_.observe(std::chrono::duration<double>(metered_.clock_.steady() - started_).count());
  }

 private:
  MeteredCompletions& metered_;
  const ports::Call::SteadyTime started_;
  bool has_begun_ = false;
};

MeteredCompletions::MeteredCompletions(ports::Completions& completions, const ports::Clock& clock,
                                       ports::Metrics& metrics)
    : completions_(completions),
      clock_(clock),
      completed_(completion_counter(metrics, "completed")),
      over_budget_(completion_counter(metrics, "spent")),
      invalid_(completion_counter(metrics, "wrong")),
      unavailable_(completion_counter(metrics, "unavailable")),
      timed_out_(completion_counter(metrics, "timed_out")),
      cancelled_(completion_counter(metrics, "cancelled")),
      failed_(completion_counter(metrics, "failed")),
      prompt_tokens_(token_counter(metrics, "prompt")),
      completion_tokens_(token_counter(metrics, "completion")),
      first_piece_seconds_(metrics.histogram("kbase_llm_first_piece_duration_seconds",
                                             "Time from a prompt to the first piece of its stream.", kBounds)),
      open_streams_(metrics.gauge("kbase_llm_open_streams", "Open streams.")) {}

Result<MeteredCompletions::Outcome> MeteredCompletions::complete(ports::Call& call, const ports::ExternalClient& client,
                                                                 const ports::CompletionRequest& request,
                                                                 Visitor<std::string_view> text) {
  Stream stream(*this);
  const auto forward = [&](std::string_view piece) {
    if (request.stream) stream.begin();
    return text(piece);
  };
  auto outcome = completions_.complete(call, client, request, forward);
  if (outcome)
    count(*outcome);
  else
    error_counter(outcome.error().code).add();
  return outcome;
}

void MeteredCompletions::count(const Outcome& outcome) noexcept {
  const auto* const completion = std::get_if<ports::Completion>(&outcome);
  if (completion == nullptr) return over_budget_.add();
  completed_.add();
  prompt_tokens_.add(completion->prompt_tokens);
  completion_tokens_.add(completion->completion_tokens);
}

ports::Counter& MeteredCompletions::error_counter(ErrorCode code) const noexcept {
  switch (code) {
    case ErrorCode::InvalidArgument: return invalid_;
    case ErrorCode::Unavailable: return unavailable_;
    case ErrorCode::Deadline: return timed_out_;
    case ErrorCode::Cancelled: return cancelled_;
    default: return failed_;
  }
}

/// The right to look up a user, released on destruction. Without the right (`entry_` empty) the call was cancelled or
/// its deadline passed.
class CoalescedLookUps::UserLock {
 public:
  UserLock(CoalescedLookUps& look_ups, const ports::Call& call, std::string_view username) : look_ups_(look_ups) {
    using Clock = std::chrono::steady_clock;
    std::unique_lock lock(look_ups_.mutex_);
    while (look_ups_.running_.contains(username)) {
      const auto now = Clock::now();
      if (call.cancelled() || now >= call.deadline) return;
      look_ups_.ended_.wait_until(lock, std::min(call.deadline, now + kPollInterval));
    }
    entry_ = look_ups_.running_.emplace(username).first;
  }
  ~UserLock() {
    if (!entry_) return;
    {
      const std::lock_guard lock(look_ups_.mutex_);
      look_ups_.running_.erase(*entry_);
    }
    look_ups_.ended_.notify_all();
  }
  UserLock(const UserLock&) = delete;
  UserLock& operator=(const UserLock&) = delete;

 private:
  CoalescedLookUps& look_ups_;
  std::optional<std::set<std::string, std::less<>>::iterator> entry_;
};

Result<ports::UserReply> CoalescedLookUps::look_up(ports::Call& call, const ports::ExternalClient& client,
                                                   std::string_view username) {
  const UserLock lock(*this, call, username);
  if (call.cancelled()) return Error{ErrorCode::Cancelled, "The request was cancelled during the look-up of a user."};
  // A call whose deadline passed continues without the right: the use case can still return an expired cache entry.
  return users_.look_up(call, client, username);
}

std::function<void(ports::LookUpOutcome)> make_look_up_counter(ports::Metrics& metrics) {
  // In the order of ports::LookUpOutcome.
  constexpr std::array<std::string_view, 8> kOutcomes = {"cached",  "fetched", "confirmed", "stale",
                                                         "unknown", "refused", "failed",    "cancelled"};
  static_assert(kOutcomes.size() == static_cast<std::size_t>(ports::LookUpOutcome::Cancelled) + 1);
  std::array<ports::Counter*, kOutcomes.size()> counters{};
  std::transform(kOutcomes.begin(), kOutcomes.end(), counters.begin(), [&](std::string_view outcome) {
    return &metrics.counter("kbase_codehost_look_ups_total", "User look-ups at the code-hosting service, by outcome.",
                            {{"outcome", outcome}});
  });
  return [counters](ports::LookUpOutcome outcome) { counters[static_cast<std::size_t>(outcome)]->add(); };
}

}  // namespace kbase::runtime
