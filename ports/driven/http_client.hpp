// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

#include "domain/model/result.hpp"
#include "ports/driven/call.hpp"

namespace kbase::ports {

struct HttpField {
  std::string_view name;
  std::string_view value;
};

struct HttpRequest {
  std::string_view method = "GET";  ///< GET and HEAD may be sent again after a failure, others never
  std::string_view url;
  std::span<const HttpField> fields;  ///< without those of the connection: Host, Content-Length, Transfer-Encoding
  std::string_view body;
  std::uint32_t max_redirects = 0;   ///< of GET and HEAD, within the origin; 0: none is followed
  std::uint64_t max_body_bytes = 0;  ///< of the answer, unpacked; 0, or more than the client's own limit: that limit
  /// How often it may be sent in all, after failures and redirects too; 0: as often as the client and `max_redirects`
  /// allow. A connection that is not made sends nothing.
  std::uint32_t max_attempts = 0;
};

struct HttpHead {
  std::uint32_t status = 0;
  std::span<const HttpField> fields;  ///< names in lower case; a loan until the exchange ends
  std::uint32_t attempts = 1;         ///< how often the request was sent for this answer
};

/// A request under way and its answer, read at the pace of the reader: what is not read pauses the transfer. It belongs
/// to the call it was opened for and ends before it does: the call's deadline and cancellation end every wait.
/// Destroying it ends it, read or not, without waiting.
///
/// Thread-safety: one thread at a time. Errors: Deadline, Cancelled; after any of them, the same again.
class HttpExchange {
 public:
  virtual ~HttpExchange() = default;

  /// Waits for the final status and its fields. Unavailable: no connection, or it broke. BadUpstream: no answer that
  /// HTTP knows, a certificate that does not hold, a redirect that must not be followed.
  virtual model::Result<HttpHead> head() = 0;

  /// Waits for some of the body and puts it into `buffer`, which is not empty; 0: that was all. BadUpstream: it broke
  /// off, has more than `max_body_bytes`, or can't be unpacked.
  virtual model::Result<std::size_t> read(std::span<char> buffer) = 0;
};

/// HTTP to one service outside: the origins (scheme, host and port) that its owner named, and no other, whatever a URL,
/// a redirect or a link says.
///
/// Thread-safety: any thread, any number at a time.
class HttpClient {
 public:
  virtual ~HttpClient() = default;

  /// Begins an exchange without waiting; the request is copied. InvalidArgument, with the member as `parameter`: what
  /// must not be sent, such as a URL of no allowed origin. Unavailable with retry_after: too many at once, or the
  /// service has failed too often lately.
  virtual model::Result<std::unique_ptr<HttpExchange>> open(Call& call, const HttpRequest& request) = 0;
};

}  // namespace kbase::ports
