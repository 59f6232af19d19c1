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

/// An upstream service without a network: every request gets the reply that was set last. Deadlines are on `clock`,
/// which must outlive this object. Thread-safe.
class FakeUpstream final : public ports::HttpClient {
 public:
  struct Reply {
    std::uint32_t status = 200;
    std::vector<std::pair<std::string, std::string>> fields = {};  ///< names in lower case
    std::string body = {};
    bool is_truncated = false;                     ///< break off in the middle of the body
    bool is_silent = false;                        ///< no reply before the cancellation or the deadline of the call
    std::optional<model::ErrorCode> failure = {};  ///< error of head() and read(), in place of the reply
  };
  /// Called concurrently on any thread.
  using Handler = std::function<Reply(const ports::HttpRequest& request)>;

  explicit FakeUpstream(const ports::Clock& clock) : clock_(clock) {}

  void set(Reply reply);
  void set_handler(Handler handler);

  model::Result<std::unique_ptr<ports::HttpExchange>> open(ports::Call& call,
                                                           const ports::HttpRequest& request) override;

  std::uint64_t request_count() const { return request_count_; }  ///< requests since construction
  std::int64_t open_exchanges() const { return open_exchanges_; }

 private:
  class Exchange;

  const ports::Clock& clock_;
  std::mutex mutex_;
  std::shared_ptr<const Handler> handler_;  // null: reply with an empty 200
  std::atomic<std::uint64_t> request_count_{0};
  std::atomic<std::int64_t> open_exchanges_{0};
};

}  // namespace kbase::conformance
