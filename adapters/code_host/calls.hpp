// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "adapters/code_host/answer.hpp"
#include "adapters/code_host/api.hpp"

namespace kbase::code_host {

enum class Asked {
  WithToken,
  Anonymously,  ///< if the response to a token would show more than is public
};

/// A request to the service: a GET, or a POST of JSON if it has a body.
struct Request {
  std::string path{};  ///< path and query on the origin of the service
  Asked asked = Asked::WithToken;
  std::string body{};
};

class Calls;

/// A request that was sent, and the maximum number of attempts for it.
struct Sent {
  std::unique_ptr<ports::HttpExchange> exchange;
  std::uint32_t max_attempts;
};

/// A call in progress.
class Pending {
 public:
  Pending(Calls& calls, Request request, Sent sent)
      : calls_(&calls), request_(std::move(request)), sent_(std::move(sent)) {}

  const Request& request() const noexcept { return request_; }

  /// Waits for the response. Follows one redirect of a GET, within the origin only. Unavailable: a rate limit, with the
  /// time to wait, or status 503. BadUpstream: another 5xx status, or a refused token. The caller handles other
  /// statuses.
  model::Result<Answer> read();

 private:
  Calls* calls_;
  Request request_;
  Sent sent_;
};

/// Sends the calls of one look-up and counts them, including the repetitions that the client makes after a failure.
/// Never exceeds Api::max_calls. Not thread-safe.
class Calls {
 public:
  /// `api` and `call` must outlive this object.
  Calls(const Api& api, ports::Call& call) : api_(api), call_(call), left_(api.max_calls) {}

  std::size_t left() const noexcept { return left_; }

  /// How long to send no more calls, as far as the responses until now show: a rate limit is used up. Ignores limits
  /// that apply only to calls without the token; nullopt: no limit is known.
  std::optional<std::chrono::seconds> asked_to_wait() const noexcept { return wait_; }

  const Api& api() const noexcept { return api_; }

  /// Starts a call without waiting, so that several can run concurrently. BadUpstream: no call is left. Unavailable:
  /// the API has no HTTP client.
  model::Result<Pending> open(Request request, std::string_view if_none_match = {});

  /// Calls open() and read().
  model::Result<Answer> get(Request request);

 private:
  friend class Pending;
  model::Result<Sent> begin(const Request& request, std::string_view if_none_match);
  model::Result<Answer> read_to_end(Sent sent);

  const Api& api_;
  ports::Call& call_;
  std::size_t left_;
  std::optional<std::chrono::seconds> wait_;
};

/// Succeeds if the status is 200; otherwise returns BadUpstream.
model::Status expect_ok(const Answer& answer, const Request& request);

}  // namespace kbase::code_host
