// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>

#include "adapters/web/page_cache.hpp"
#include "adapters/web/web_address.hpp"
#include "domain/base/result.hpp"
#include "ports/driven/call.hpp"
#include "ports/driven/clock.hpp"
#include "ports/driven/http_client.hpp"

namespace kbase::web {

/// What a server answered to GET.
struct Response {
  std::uint32_t status = 0;
  std::string body;
  Validator validator;
  std::string location;  ///< target of a redirect, as written
};

/// Requests pages one at a time, no faster than the interval, and only those that have changed since the last run. Not
/// thread-safe.
class Fetcher {
 public:
  /// Waits for the given time.
  using Pause = std::function<void(std::chrono::milliseconds)>;

  /// The arguments must outlive the object. Requests begin at least `interval` apart; 0: without a pause.
  Fetcher(ports::HttpClient& client, PageCache& cache, const ports::Clock& clock, Pause pause,
          std::chrono::milliseconds interval)
      : client_(client), cache_(cache), clock_(clock), pause_(std::move(pause)), interval_(interval) {}

  /// Raises the interval to at least this.
  void slow_down_to(std::chrono::milliseconds interval) { interval_ = std::max(interval_, interval); }

  /// Gets the page at `address`. Follows no redirects. Errors: those of HttpClient and HttpExchange.
  Result<Response> get(ports::Call& call, const Address& address);

 private:
  Result<Response> exchange(ports::Call& call, const std::string& url, const std::optional<Validator>& known);
  void wait(const ports::Call& call);

  ports::HttpClient& client_;
  PageCache& cache_;
  const ports::Clock& clock_;
  const Pause pause_;
  std::chrono::milliseconds interval_;
  std::optional<std::chrono::steady_clock::time_point> last_;  // beginning of the last request
};

}  // namespace kbase::web
