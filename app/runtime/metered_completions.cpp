// SPDX-License-Identifier: Apache-2.0
#include "app/runtime/metered_completions.hpp"

#include <array>

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

}  // namespace kbase::runtime
