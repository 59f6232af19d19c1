// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "adapters/code_host/api.hpp"
#include "adapters/code_host/response.hpp"
#include "domain/model/day.hpp"

namespace kbase::code_host {

enum class Auth {
  Token,
  Anonymous,  ///< if the response to a token would show more than is public
};

/// A request to the service: a GET, or a POST of JSON if it has a body.
struct Request {
  std::string path{};  ///< path and query on the origin of the service
  Auth auth = Auth::Token;
  std::string body{};
};

class Calls;

/// A request that was sent, and the maximum number of attempts for it.
struct SentRequest {
  std::unique_ptr<ports::HttpExchange> exchange;
  std::uint32_t max_attempts;
};

/// A call in progress.
class PendingCall {
 public:
  PendingCall(Calls& calls, Request request, SentRequest sent)
      : calls_(&calls), request_(std::move(request)), sent_(std::move(sent)) {}

  const Request& request() const noexcept { return request_; }

  /// Waits for the response. Follows one redirect of a GET, within the origin only. Unavailable: a rate limit, with the
  /// time to wait, or status 503. BadUpstream: another 5xx status, or a refused token. The caller handles other
  /// statuses.
  Result<Response> read();

 private:
  Calls* calls_;
  Request request_;
  SentRequest sent_;
};

/// Sends the calls of one look-up and counts them, including the repetitions that the client makes after a failure.
/// Never exceeds Api::max_calls. Not thread-safe.
class Calls {
 public:
  /// `api` and `call` must outlive this object.
  Calls(const Api& api, ports::Call& call) : api_(api), call_(call), remaining_(api.max_calls) {}

  std::size_t remaining() const noexcept { return remaining_; }

  /// How long to send no more calls, as far as the responses until now show: a rate limit is used up. Ignores limits
  /// that apply only to calls without the token; nullopt: no limit is known.
  std::optional<std::chrono::seconds> rate_limit_wait() const noexcept { return wait_; }

  const Api& api() const noexcept { return api_; }

  /// Starts a call without waiting, so that several can run concurrently. BadUpstream: no call is left. Unavailable:
  /// the API has no HTTP client.
  Result<PendingCall> open(Request request, std::string_view if_none_match = {});

  /// Calls open() and read().
  Result<Response> get(Request request);

 private:
  friend class PendingCall;
  Result<SentRequest> send(const Request& request, std::string_view if_none_match);
  Result<Response> receive(SentRequest sent);

  const Api& api_;
  ports::Call& call_;
  std::size_t remaining_;
  std::optional<std::chrono::seconds> wait_;
};

/// Succeeds if the status is 200; otherwise returns BadUpstream.
Status expect_ok(const Response& response, const Request& request);

/// The calls whose responses determine the result of a look-up, and the validator made from them: a line with the day,
/// then a line for each call with the tag of its response and its path. A validator is valid only on its UTC day,
/// because the period of the contributions changes with the day. Not thread-safe.
class ValidatedCalls {
 public:
  /// `calls` must outlive this object.
  ValidatedCalls(Calls& calls, model::Day today) : calls_(calls), today_(today) {}

  /// Repeats the calls from which `validator` was made. Returns true if all responses are the same. `known` are the
  /// requests that need more than a path. Afterwards start() returns the new responses without a call. Returns false
  /// without a call if the validator is malformed, is of another day, or would leave too few calls to continue.
  Result<bool> is_unchanged(std::string_view validator, std::span<const Request> known);

  /// A request whose response is part of the validator. It is in progress, or is_unchanged() got its response.
  class TrackedRequest {
   public:
    const Request& request() const noexcept { return request_; }
    /// Waits for the response. Call it only once.
    Result<Response> read();

   private:
    friend class ValidatedCalls;
    using Source = std::variant<Result<PendingCall>, Response>;
    TrackedRequest(ValidatedCalls& validated, Request request, Source source)
        : validated_(&validated), request_(std::move(request)), source_(std::move(source)) {}

    ValidatedCalls* validated_;
    Request request_;
    Source source_;
  };

  /// Starts a request without waiting. read() returns its errors.
  TrackedRequest start(Request request);

  Calls& calls() noexcept { return calls_; }
  model::Day today() const noexcept { return today_; }

  /// Returns the validator of all responses that were read; empty: it would be longer than the port allows.
  std::string validator() const;

 private:
  struct Tagged {
    std::string tag;
    std::string path;
  };
  Response record(const Request& request, Response response);
  std::vector<Tagged> parse(std::string_view validator, std::span<const Request> known) const;
  Result<std::vector<PendingCall>> repeat_calls(const std::vector<Tagged>& before, std::span<const Request> known);

  Calls& calls_;
  const model::Day today_;
  std::vector<Tagged> read_;
  std::map<std::string, Response> known_responses_;
};

}  // namespace kbase::code_host
