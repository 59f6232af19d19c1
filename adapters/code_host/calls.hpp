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
  Anonymously,  ///< where a token would be shown more than anybody sees
};

/// What the service is asked: a GET, or with a body a POST of JSON.
struct Request {
  std::string path{};  ///< and query, on the service's origin
  Asked asked = Asked::WithToken;
  std::string body{};
};

class Calls;

/// A request on its way, and how often it may be sent at most.
struct Sent {
  std::unique_ptr<ports::HttpExchange> exchange;
  std::uint32_t max_attempts;
};

/// A call under way.
class Pending {
 public:
  Pending(Calls& calls, Request request, Sent sent)
      : calls_(&calls), request_(std::move(request)), sent_(std::move(sent)) {}

  const Request& request() const noexcept { return request_; }

  /// Waits for the answer; one redirect of a GET is followed, within the origin alone. Unavailable: a rate limit, with
  /// the time to wait, or 503. BadUpstream: another 5xx, a token that is refused. Other statuses are the caller's.
  model::Result<Answer> read();

 private:
  Calls* calls_;
  Request request_;
  Sent sent_;
};

/// The calls of one look-up, which are counted: no more are sent than may be, those that the client sends again after a
/// failure included. One thread.
class Calls {
 public:
  /// `api` and `call` outlive them.
  Calls(const Api& api, ports::Call& call) : api_(api), call_(call), left_(api.max_calls) {}

  std::size_t left() const noexcept { return left_; }

  /// How long the service wants to be left alone, as far as it said so by now: a rate limit is used up, and not only
  /// that of calls without the token.
  std::optional<std::chrono::seconds> asked_to_wait() const noexcept { return wait_; }

  const Api& api() const noexcept { return api_; }

  /// Begins a call without waiting, so that several can be under way. BadUpstream: none is left.
  model::Result<Pending> open(Request request, std::string_view if_none_match = {});

  /// open() and read().
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

/// Success where the answer is 200; else what it says of the service.
model::Status expect_ok(const Answer& answer, const Request& request);

}  // namespace kbase::code_host
