// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "ports/driven/clock.hpp"
#include "ports/driven/http_client.hpp"

namespace kbase::conformance {

/// A service outside without a network: whoever asks it anything gets the reply that was set last. Deadlines are by
/// `clock`, which outlives it. Any thread.
class FakeUpstream final : public ports::HttpClient {
 public:
  struct Reply {
    std::uint32_t status = 200;
    std::vector<std::pair<std::string, std::string>> fields = {};  ///< names in lower case
    std::string body = {};
    bool breaks_off = false;                       ///< in the middle of the body
    bool is_silent = false;                        ///< never comes: who waits for it waits as long as the call may
    std::optional<model::ErrorCode> failure = {};  ///< what waiting for the reply ends with, in its place
  };
  /// Any thread, any number at a time.
  using Answering = std::function<Reply(const ports::HttpRequest& request)>;

  explicit FakeUpstream(const ports::Clock& clock) : clock_(clock) {}

  void set(Reply reply);
  void answer_with(Answering answering);

  model::Result<std::unique_ptr<ports::HttpExchange>> open(ports::Call& call,
                                                           const ports::HttpRequest& request) override;

  std::uint64_t asked() const { return asked_; }  ///< requests since the start
  std::int64_t under_way() const { return under_way_; }

 private:
  class Exchange;

  const ports::Clock& clock_;
  std::mutex mutex_;
  std::shared_ptr<const Answering> answering_;  // null: an empty success
  std::atomic<std::uint64_t> asked_{0};
  std::atomic<std::int64_t> under_way_{0};
};

}  // namespace kbase::conformance
