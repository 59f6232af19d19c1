// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <set>
#include <string>
#include <string_view>

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

/// Runs at most one look-up per user name at a time. A second caller waits for the running look-up to end, at most
/// until its own deadline, and then does its own look-up, which usually finds the result in the cache. Thread-safe.
class CoalescedLookUps final : public ports::CodeHostUsers {
 public:
  /// `users` must outlive this object.
  explicit CoalescedLookUps(ports::CodeHostUsers& users) : users_(users) {}

  std::optional<ports::UserReply> find_cached(std::string_view username) override {
    return users_.find_cached(username);
  }

  /// Additional error: Cancelled, if the call is cancelled while it waits.
  Result<ports::UserReply> look_up(ports::Call& call, const ports::ExternalClient& client,
                                   std::string_view username) override;

 private:
  class UserLock;

  ports::CodeHostUsers& users_;
  std::mutex mutex_;
  std::condition_variable ended_;
  std::set<std::string, std::less<>> running_;
};

/// Returns a function that counts user look-ups by outcome. `metrics` must outlive it. Thread-safe.
std::function<void(ports::LookUpOutcome)> make_look_up_counter(ports::Metrics& metrics);

}  // namespace kbase::runtime
