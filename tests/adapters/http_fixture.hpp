// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "adapters/http/api_handler.hpp"
#include "adapters/http/request_parser.hpp"
#include "adapters/prometheus/prometheus_metrics.hpp"
#include "plugins/conformance/fixtures.hpp"
#include "tests/adapters/http_answer.hpp"
#include "tests/adapters/http_mocks.hpp"
#include "tests/support/counting_random.hpp"
#include "tests/support/recording_log.hpp"

namespace kbase::tests {

/// Signs with the last characters of the text.
class PlainSignatures final : public ports::Signatures {
 public:
  ports::Signature of(std::string_view text) const override {
    ports::Signature signature;
    signature.fill('.');
    std::copy(text.rbegin(), text.rbegin() + static_cast<std::ptrdiff_t>(std::min(text.size(), signature.size())),
              signature.begin());
    return signature;
  }
};

/// An executor that runs its work only when a test calls run_one().
class HeldExecutor final : public http::Executor {
 public:
  bool try_submit(Work work) override {
    const std::lock_guard lock(mutex_);
    if (work_.size() >= capacity) return false;
    work_.push_back(std::move(work));
    return true;
  }

  bool has_free_thread() const override {
    const std::lock_guard lock(mutex_);
    return work_.empty();
  }

  void submit(Work work) override {
    const std::lock_guard lock(mutex_);
    work_.push_back(std::move(work));
  }

  /// Runs the oldest work on the caller's thread; false: the queue is empty.
  bool run_one(Timing timing = Timing::OnTime) {
    Work work;
    {
      const std::lock_guard lock(mutex_);
      if (work_.empty()) return false;
      work = std::move(work_.front());
      work_.erase(work_.begin());
    }
    work(timing);
    return true;
  }
  std::size_t held() const {
    const std::lock_guard lock(mutex_);
    return work_.size();
  }

  std::size_t capacity = 1000;

 private:
  mutable std::mutex mutex_;
  std::vector<Work> work_;
};

/// The admission of a public client after one request.
inline ports::Admission admitted(model::Instant now) {
  ports::Admission admission;
  admission.plan = {"public", {10, 1000}};
  admission.client_id = model::ClientId{7};
  admission.decision = {true, {9, now + std::chrono::seconds(60)}, {999, now + std::chrono::hours(12)}};
  return admission;
}

/// An API handler with mocked dependencies.
class HttpFixture {
 public:
  HttpFixture() { options.search_fingerprint = "mock 1"; }

  /// Returns the response to a raw request.
  HttpAnswer handle(std::string_view bytes, std::string_view peer = "192.0.2.7") {
    http::RequestParser parser{http::MessageLimits{}};
    parser.feed(bytes);
    if (parser.state() != http::RequestParser::State::Complete)
      throw std::runtime_error("no whole request: " + std::string(bytes));
    const http::Request& request = parser.request();
    http::ApiHandler api_handler(options, services, *http::NetworkSet::parse(options.trusted_proxies));
    const http::Peer from(*http::NetworkAddress::parse(peer));
    const auto connection =
        request.keep_alive() ? http::HttpResponse::Connection::KeepAlive : http::HttpResponse::Connection::Close;
    http::RequestContext context{request, api_handler.match(request), from, clock.steady(), connection};
    ALLOW_CALL(access, is_inline(trompeloeil::_)).RETURN(true);
    api_handler.prepare(context);
    http::HttpResponse response = api_handler.respond(context);
    HttpAnswer answer = parse_head(response.head);
    answer.body = std::move(response.body);
    return answer;
  }

  HttpAnswer get(std::string_view path, std::string_view fields = "") { return send("GET", path, fields); }

  HttpAnswer send(std::string_view method, std::string_view path, std::string_view fields = "",
                  std::string_view body = "") {
    std::string bytes(method);
    bytes.append(" /api/v1").append(path).append(" HTTP/1.1\r\nHost: x\r\n").append(fields);
    if (!body.empty()) bytes.append("Content-Length: ").append(std::to_string(body.size())).append("\r\n");
    return handle(bytes.append("\r\n").append(body));
  }

  conformance::ManualClock clock;
  CountingRandom random;
  RecordingLog log;
  PlainPseudonyms pseudonyms;
  PlainSignatures signatures;
  prometheus::PrometheusMetrics metrics;
  HeldExecutor executor;
  MockSearch search;
  MockCatalog catalog;
  MockStatistics statistics;
  MockHealth health;
  MockAccess access;
  MockContentWriting writing;
  MockCodeHostUsers users;
  MockCompletions completions;
  http::ServerOptions options;
  http::Services services{
      search,  catalog,    statistics,  health,  access,
      writing, users,      completions, clock,   random,
      log,     pseudonyms, signatures,  metrics, {executor, executor, executor, executor, executor, executor}};
};

}  // namespace kbase::tests
