// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "ports/driven/account_store.hpp"
#include "ports/driven/activity_store.hpp"
#include "ports/driven/api_key_store.hpp"
#include "ports/driven/cache.hpp"
#include "ports/driven/clock.hpp"
#include "ports/driven/code_host.hpp"
#include "ports/driven/http_client.hpp"
#include "ports/driven/insight_store.hpp"
#include "ports/driven/item_store.hpp"
#include "ports/driven/mailer.hpp"
#include "ports/driven/rate_limit_store.hpp"
#include "ports/driven/search_index.hpp"

namespace kbase::conformance {

/// A clock that moves only when a test moves it. Thread-safe.
class ManualClock final : public ports::Clock {
 public:
  explicit ManualClock(model::Instant start = model::Instant(std::chrono::sys_days(std::chrono::year(2026) / 3 / 14)) +
                                              std::chrono::hours(12))
      : wall_ms_(start.time_since_epoch().count()) {}

  model::Instant now() const override { return model::Instant(std::chrono::milliseconds(wall_ms_.load())); }
  std::chrono::steady_clock::time_point steady() const override {
    return std::chrono::steady_clock::time_point(std::chrono::milliseconds(steady_ms_.load()));
  }

  /// Moves both clocks forward.
  void advance(std::chrono::milliseconds span) {
    wall_ms_ += span.count();
    steady_ms_ += span.count();
  }

  /// Sets only the wall clock, forward or back.
  void set(model::Instant now) { wall_ms_ = now.time_since_epoch().count(); }

 private:
  std::atomic<std::int64_t> wall_ms_;
  std::atomic<std::int64_t> steady_ms_{1'000'000};
};

/// An upstream service without a network: every request gets the reply that was set last. Deadlines are on `clock`,
/// which must outlive this object. Thread-safe.
class FakeUpstream final : public ports::HttpClient {
 public:
  struct Reply {
    std::uint32_t status = 200;
    std::vector<std::pair<std::string, std::string>> fields = {};  ///< names in lower case
    std::string body = {};
    bool is_truncated = false;              ///< break off in the middle of the body
    bool is_silent = false;                 ///< no reply before the cancellation or the deadline of the call
    std::optional<ErrorCode> failure = {};  ///< error of head() and read(), in place of the reply
  };
  /// Called concurrently on any thread.
  using Handler = std::function<Reply(const ports::HttpRequest& request)>;

  explicit FakeUpstream(const ports::Clock& clock) : clock_(clock) {}

  void set(Reply reply);
  void set_handler(Handler handler);

  Result<std::unique_ptr<ports::HttpExchange>> open(ports::Call& call, const ports::HttpRequest& request) override;

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

/// A new, empty instance of `Port` for one check, with a clock that the check controls.
template <class Port> class Fixture {
 public:
  virtual ~Fixture() = default;

  virtual Port& port() = 0;

  /// Closes the instance and opens it again with its persistent data. False: the instance declares that it persists
  /// nothing, and port() is unchanged.
  virtual bool reopen() = 0;

  ManualClock clock;
  FakeUpstream upstream{clock};  ///< fake of the upstream service, for ports that use one
};

using ItemStoreFixture = Fixture<ports::ItemStore>;
using ActivityStoreFixture = Fixture<ports::ActivityStore>;
using ApiKeyStoreFixture = Fixture<ports::ApiKeyStore>;
using AccountStoreFixture = Fixture<ports::AccountStore>;
using InsightStoreFixture = Fixture<ports::InsightStore>;
using MailerFixture = Fixture<ports::Mailer>;
using RateLimitStoreFixture = Fixture<ports::RateLimitStore>;
using CacheFixture = Fixture<ports::Cache>;
using CodeHostFixture = Fixture<ports::CodeHost>;
using SearchIndexFixture = Fixture<ports::SearchIndex>;

}  // namespace kbase::conformance
