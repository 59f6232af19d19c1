// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

#include "domain/base/result.hpp"
#include "ports/driven/call.hpp"

namespace kbase::ports {

struct HttpField {
  std::string_view name;
  std::string_view value;
};

struct HttpRequest {
  std::string_view method = "GET";  ///< GET and HEAD may be retried after a failure, other methods never
  std::string_view url;
  std::span<const HttpField> fields;  ///< without the connection's own: Host, Content-Length, Transfer-Encoding
  std::string_view body;
  std::uint32_t max_redirects = 0;   ///< for GET and HEAD, within the origin; 0: no redirects
  std::uint64_t max_body_bytes = 0;  ///< limit of the decompressed response; 0 or above the client's own limit: that
                                     ///< limit
  /// Maximum number of transmissions, including retries and redirects. 0: as many as the client and `max_redirects`
  /// allow. A failed connection attempt does not count.
  std::uint32_t max_attempts = 0;
};

struct HttpHead {
  std::uint32_t status = 0;
  std::span<const HttpField> fields;  ///< names in lower case; valid until the exchange ends
  std::uint32_t attempts = 1;         ///< number of transmissions until this response
};

/// A request in progress and its response. The transfer pauses while the caller does not read. The exchange belongs to
/// the call it was opened for and must end before it; the call's deadline and cancellation end every wait. Destruction
/// aborts the exchange without blocking.
///
/// Thread-safety: one thread at a time. Errors: Deadline, Cancelled; after an error every call fails with the same
/// error.
class HttpExchange {
 public:
  virtual ~HttpExchange() = default;

  /// Waits for the final status and header fields. Unavailable: no connection, or it broke. BadUpstream: an invalid
  /// HTTP response, an invalid certificate, or a forbidden redirect.
  virtual Result<HttpHead> head() = 0;

  /// Waits for part of the body and copies it to `buffer`, which must not be empty. 0: end of the body. BadUpstream:
  /// the body is truncated, exceeds `max_body_bytes`, or cannot be decompressed.
  virtual Result<std::size_t> read(std::span<char> buffer) = 0;
};

/// HTTP client for one upstream service. Connects only to the origins (scheme, host and port) that its owner
/// configured; URLs, redirects and links cannot add others.
///
/// Thread-safety: any thread, concurrent calls allowed.
class HttpClient {
 public:
  virtual ~HttpClient() = default;

  /// Starts an exchange without blocking and copies the request. InvalidArgument, with the member's name as
  /// `parameter`: the request is not allowed, such as a URL with another origin. Unavailable with retry_after: too many
  /// concurrent exchanges, or the service failed too often recently.
  virtual Result<std::unique_ptr<HttpExchange>> open(Call& call, const HttpRequest& request) = 0;
};

}  // namespace kbase::ports
