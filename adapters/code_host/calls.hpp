// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "domain/base/result.hpp"
#include "domain/model/day.hpp"
#include "ports/driven/clock.hpp"
#include "ports/driven/http_client.hpp"

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

/// A request that was sent, and the maximum number of attempts for it.
struct SentRequest {
  std::unique_ptr<ports::HttpExchange> exchange;
  std::uint32_t max_attempts;
};

/// The options that every code-hosting service has.
struct Options {
  /// URL of the service, http:// or https://. All requests go to its origin.
  std::string base_url;
  /// Sent as `Authorization: Bearer`. Empty: requests are anonymous.
  std::string token;
  /// Maximum number of calls for one look-up, including repetitions and calls that only find that nothing changed. At
  /// least kMinCalls.
  std::size_t max_calls = 20;
  /// Maximum number of repositories in a look-up. Further pages are not read.
  std::size_t max_repositories = 100;
};

/// Number of calls that a look-up without languages needs.
inline constexpr std::size_t kMinCalls = 5;

struct Field {
  std::string name;
  std::string value;
};

/// The API of a service: its address, and what every call sends. Immutable. Thread-safe.
struct Api {
  /// InvalidArgument: `options.base_url` has no scheme, has a query or a fragment, or (only if `http` is null) does not
  /// start with http:// or https://; or the token cannot be sent. If `http` is null, every call fails with Unavailable.
  /// `http` and `clock` must outlive the API. Every call sends `fields`.
  static Result<Api> make(ports::HttpClient* http, const ports::Clock& clock, const Options& options,
                          std::vector<Field> fields);

  /// Whether `target` ("/path?query"), to which the service redirected or linked, is below `path`. Other paths of the
  /// origin may belong to other applications, which must not see the token.
  bool covers(std::string_view target) const noexcept;

  ports::HttpClient* http;
  const ports::Clock& clock;
  std::string origin;  ///< "https://git.example"
  std::string path;    ///< path of base_url: "" or "/sub/path"
  std::vector<Field> fields;
  std::string authorization;  ///< value of the Authorization field; empty: not sent
  std::size_t max_calls;
};

/// Returns `url` without trailing slashes and without `suffix` before them, because users may configure the URL of the
/// API instead of that of the site.
std::string strip_api_path(std::string url, std::string_view suffix);

/// Returns the error for a service that failed or whose response is not valid.
Error invalid_response(std::string detail);

Error user_not_found();

/// Returns the error for a service that accepts no requests, or none from this client, for `retry_after`.
Error unavailable(std::string detail, std::chrono::milliseconds retry_after);

inline constexpr std::uint32_t kOk = 200;
inline constexpr std::uint32_t kNotModified = 304;
inline constexpr std::uint32_t kUnauthorized = 401;
inline constexpr std::uint32_t kForbidden = 403;
inline constexpr std::uint32_t kNotFound = 404;

/// A complete response of the service.
struct Response {
  std::uint32_t status = 0;
  std::vector<Field> fields;  ///< names in lower case
  std::string body;

  /// The value of the first field with this name; empty: there is no such field.
  std::string_view field(std::string_view name) const;

  /// Returns the path and query of the next page from `Link: <...>; rel="next"` (RFC 8288, section 3); empty: there is
  /// no next page. Ignores the link's host: behind a proxy the service may know itself by another name, and requests
  /// must only go to the configured origin.
  std::string_view next_page() const;

  /// Returns the target of a redirect as path and query on `origin`; empty: it is not a redirect, or it leads to
  /// another origin.
  std::string_view redirect_target(std::string_view origin) const;

  /// Returns a tag that changes with the response to a request: its ETag, else "#" and a digest.
  std::string tag() const;
};

/// Succeeds if the status is 200; otherwise returns BadUpstream.
Status expect_ok(const Response& response, const Request& request);

/// Whether `text` is the path of a URL, with or without query, that can be requested and stored in a validator.
bool is_path(std::string_view text);

/// Whether `tag` can be sent in If-None-Match.
inline bool is_entity_tag(std::string_view tag) { return !tag.empty() && tag.front() != '#'; }

/// Returns how long to send no more requests, from one second to one day; nullopt: the response reports no rate limit.
///
/// A rate limit is status 429 (RFC 6585, section 4), or status 403 with Retry-After, with no requests remaining, or
/// with a rate-limit message in its body. The wait is that of Retry-After, else the time until the limit resets, else
/// one minute, as GitHub's "Rate limits for the REST API" requires. Absolute times are relative to the Date of the
/// response, else to `now`.
std::optional<std::chrono::seconds> rate_limit_wait(const Response& response, model::Instant now);

/// Returns the wait of the Retry-After field, seconds or a date (RFC 9110, section 10.2.3); nullopt: it has no valid
/// one.
std::optional<std::chrono::seconds> retry_after(const Response& response, model::Instant now);

/// Returns the time until the limit resets by the response's rate-limit fields; one minute if they do not show it.
std::chrono::seconds time_until_reset(const Response& response, model::Instant now);

class Calls;

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

  /// Succeeds if a look-up can continue without the part that failed with `error`: the service failed to send it.
  /// Returns other errors: the service refuses further requests, or the caller waits no longer.
  Status do_without_part(const Error& error);

  /// Whether do_without_part() succeeded. The result must then not be validated, because the part may be readable next
  /// time.
  bool misses_part() const noexcept { return misses_part_; }

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
  bool misses_part_ = false;
};

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

  /// Returns the validator of all responses that were read; empty: it would be longer than the port allows, or a part
  /// is missing.
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
