// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "adapters/curl/curl_http_client.hpp"
#include "adapters/curl/transfer_loop.hpp"
#include "adapters/prometheus/prometheus_metrics.hpp"
#include "adapters/system/system_crypto.hpp"
#include "plugins/conformance/fixtures.hpp"
#include "tests/support/eventually.hpp"
#include "tests/support/outcome.hpp"
#include "tests/support/scripted_http_server.hpp"

namespace kbase::tests {

using namespace std::chrono_literals;

/// Records the names of events, in order. Thread-safe.
class EventNames final : public ports::EventLog {
 public:
  void log(ports::LogLevel, std::string_view event, std::string_view, std::span<const ports::LogField>) override {
    const std::lock_guard lock(mutex_);
    names_.emplace_back(event);
  }

  std::vector<std::string> names() const {
    const std::lock_guard lock(mutex_);
    return names_;
  }

 private:
  mutable std::mutex mutex_;
  std::vector<std::string> names_;
};

/// A response that was read up to its end or an error.
struct Fetched {
  std::uint32_t status = 0;
  std::uint32_t attempts = 0;
  std::vector<std::pair<std::string, std::string>> fields;
  std::string body;
  std::optional<Error> error;

  std::string field(std::string_view name) const {
    for (const auto& [known, value] : fields)
      if (known == name) return value;
    return "(none)";
  }
};

/// For EXPECT_TRUE: the request failed with this code.
inline testing::AssertionResult failed_with(const Fetched& fetched, ErrorCode code) {
  if (!fetched.error) return testing::AssertionFailure() << "it succeeded with " << fetched.status;
  if (fetched.error->code == code) return testing::AssertionSuccess();
  return testing::AssertionFailure() << name_of(fetched.error->code) << ": " << fetched.error->detail;
}

inline Fetched read_all(ports::HttpExchange& exchange, std::size_t buffer_bytes = 4096) {
  Fetched fetched;
  const auto head = exchange.head();
  if (!head) return fetched.error = head.error(), fetched;
  fetched.status = head->status;
  fetched.attempts = head->attempts;
  for (const ports::HttpField& field : head->fields) fetched.fields.emplace_back(field.name, field.value);
  std::vector<char> buffer(buffer_bytes);
  while (true) {
    const auto got = exchange.read(buffer);
    if (!got) return fetched.error = got.error(), fetched;
    if (*got == 0) return fetched;
    fetched.body.append(buffer.data(), *got);
  }
}

/// Returns the client directly or through the plugin boundary. Each test program links one of the two definitions.
std::unique_ptr<ports::HttpClient> client_under_test(std::unique_ptr<ports::HttpClient> client,
                                                     const ports::Clock& clock, ports::EventLog& log);

/// A transfer loop with its dependencies. The clock stands still, so nothing times out unless a test advances it.
class CurlFixture {
 public:
  CurlFixture() : loop_(std::move(*curl::TransferLoop::start())) {}

  conformance::ManualClock clock;
  EventNames log;
  prometheus::PrometheusMetrics metrics;
  ports::Call call;

  /// Options for a service at `url`, without retries and without a circuit breaker.
  static curl::ClientOptions options(const std::string& url) {
    curl::ClientOptions options;
    options.service = "test";
    options.allowed_urls = {url};
    options.retry.max_retries = 0;
    options.breaker.failures = 0;
    return options;
  }

  std::unique_ptr<ports::HttpClient> client(curl::ClientOptions options) {
    auto made = curl::CurlHttpClient::make(*loop_, {clock, random_, log, metrics}, std::move(options));
    EXPECT_TRUE(succeeded(made));
    return client_under_test(std::move(*made), clock, log);
  }
  std::unique_ptr<ports::HttpClient> client(const std::string& url) { return client(options(url)); }

  Fetched fetch(ports::HttpClient& client, const ports::HttpRequest& request) {
    auto exchange = client.open(call, request);
    if (exchange) return read_all(**exchange);
    Fetched refused;
    refused.error = exchange.error();
    return refused;
  }
  Fetched get(ports::HttpClient& client, const std::string& url) {
    ports::HttpRequest request;
    request.url = url;
    return fetch(client, request);
  }

  std::unique_ptr<ports::HttpExchange> open(ports::HttpClient& client, const std::string& url) {
    ports::HttpRequest request;
    request.url = url;
    auto exchange = client.open(call, request);
    EXPECT_TRUE(succeeded(exchange));
    return std::move(*exchange);
  }

  /// Advances the clock in steps of 50 ms until `condition` holds; false: it did not within 20 s.
  template <class Condition> bool advance_until(Condition condition) {
    return eventually(20s, [&] {
      if (condition()) return true;
      clock.advance(50ms);
      return false;
    });
  }

  /// For EXPECT_TRUE: the metric `name` of the service "test", with this outcome if it is set, has this value.
  testing::AssertionResult has_metric(const std::string& name, const std::string& value,
                                      const std::string& outcome = {}) {
    const std::string label = outcome.empty() ? "" : ",outcome=\"" + outcome + "\"";
    const std::string start = "\nkbase_upstream_" + name + "{service=\"test\"" + label + "} ";
    const std::string text = metrics.expose().text;
    const std::size_t found = text.find(start);
    if (found == std::string::npos) return testing::AssertionFailure() << "no series" << start;
    const std::string seen = text.substr(found + start.size(), text.find('\n', found + 1) - found - start.size());
    if (seen == value) return testing::AssertionSuccess();
    return testing::AssertionFailure() << name << " is " << seen;
  }

 private:
  system::SystemRandom random_;
  std::unique_ptr<curl::TransferLoop> loop_;
};

}  // namespace kbase::tests
