// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "domain/base/result.hpp"
#include "ports/driven/clock.hpp"
#include "ports/driven/http_client.hpp"

namespace kbase::code_host {

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

}  // namespace kbase::code_host
