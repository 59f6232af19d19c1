// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "adapters/code_host/api.hpp"
#include "domain/model/day.hpp"

namespace kbase::code_host {

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

  /// Returns the target of a redirect as path and query on `origin`; empty: it is no redirect, or it leads to another
  /// origin.
  std::string_view redirect_target(std::string_view origin) const;

  /// Returns a tag that changes with the response to a request: its ETag, else "#" and a digest.
  std::string tag() const;
};

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

}  // namespace kbase::code_host
