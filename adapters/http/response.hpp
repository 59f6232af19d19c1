// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "adapters/http/body_pipe.hpp"
#include "adapters/http/reply.hpp"
#include "adapters/http/server_options.hpp"
#include "domain/model/day.hpp"
#include "ports/driving/access.hpp"

namespace kbase::http {

/// CORS header fields (Fetch standard, "HTTP extensions"). Never allows credentials: a key is sent in Authorization,
/// which a script must set itself. Immutable.
class CorsPolicy {
 public:
  explicit CorsPolicy(const CorsOptions& options);

  /// Writes the fields of every response.
  void write_fields(std::string& fields, std::optional<std::string_view> origin) const;

  /// Writes the additional fields of a preflight response.
  void write_preflight(std::string& fields) const;

  /// Returns whether responses depend on Origin.
  bool varies() const noexcept { return !any_; }

 private:
  CorsOptions options_;
  bool any_;
};

/// State of the window shown in X-RateLimit-*: the one with the fewest remaining requests among those with a limit; on
/// a tie the one that resets later. For a denied request this is the window that denied it.
struct RateState {
  std::uint64_t limit = 0;
  std::uint64_t remaining = 0;
  std::int64_t reset = 0;               ///< Unix time in seconds, rounded up
  std::chrono::seconds retry_after{1};  ///< time until `reset`, at least 1 s
};

RateState compute_rate_state(const ports::Admission& admission, model::Instant now);

/// Appends X-RateLimit-* and, if a window has a limit, RateLimit-Policy and RateLimit
/// (draft-ietf-httpapi-ratelimit-headers), as complete field lines.
void write_rate_fields(std::string& fields, const ports::Admission& admission, model::Instant now);

/// An HTTP response as sent on the connection.
struct HttpResponse {
  enum class Connection { Close, KeepAlive };

  HttpStatus status = HttpStatus::Ok;
  std::string head;  ///< status line and fields, including the empty line
  std::string body;  ///< body as sent; empty for HEAD
  Connection connection = Connection::Close;
  std::unique_ptr<BodyReader> stream;  ///< source of further data after `body`; null: none
  bool is_sent = false;                ///< sent through a ResponseStream already
};

/// Input for the header fields that all responses have (docs/guide/index.md, rate-limits.md and cors.md).
struct ResponseContext {
  model::Instant now;
  const ports::Admission& admission;
  std::string_view request_id;
  const CorsPolicy& cors;
  std::optional<std::string_view> origin;
  std::chrono::seconds max_age{0};
  bool is_head = false;
  bool takes_gzip = false;
  bool is_http_1_0 = false;
  HttpResponse::Connection connection = HttpResponse::Connection::Close;
};

/// Larger bodies are compressed if the client accepts it. In bytes.
inline constexpr std::size_t kCompressionThreshold = 1024;

HttpResponse compose_response(Reply reply, const ResponseContext& context);

/// Formats an IMF-fixdate, "Sun, 06 Nov 1994 08:49:37 GMT" (RFC 9110 section 5.6.7).
std::string format_http_date(model::Instant instant);

}  // namespace kbase::http
