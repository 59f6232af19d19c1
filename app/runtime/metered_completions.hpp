// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ports/driven/clock.hpp"
#include "ports/driven/metrics.hpp"
#include "ports/driving/external_services.hpp"

namespace kbase::runtime {

/// Counts completions by outcome, tokens, and open streams, and measures the time to a stream's first piece.
/// Thread-safe.
class MeteredCompletions final : public ports::Completions {
 public:
  /// All arguments must outlive this object.
  MeteredCompletions(ports::Completions& completions, const ports::Clock& clock, ports::Metrics& metrics);

  Result<Outcome> complete(ports::Call& call, const ports::ExternalClient& client,
                           const ports::CompletionRequest& request, Visitor<std::string_view> text) override;

 private:
  class Stream;

  void count(const Outcome& outcome) noexcept;
  ports::Counter& error_counter(ErrorCode code) const noexcept;

  ports::Completions& completions_;
  const ports::Clock& clock_;
  ports::Counter& completed_;
  ports::Counter& over_budget_;
  ports::Counter& invalid_;
  ports::Counter& unavailable_;
  ports::Counter& timed_out_;
  ports::Counter& cancelled_;
  ports::Counter& failed_;
  ports::Counter& prompt_tokens_;
  ports::Counter& completion_tokens_;
  ports::Histogram& first_piece_seconds_;
  ports::Gauge& open_streams_;
};

}  // namespace kbase::runtime
