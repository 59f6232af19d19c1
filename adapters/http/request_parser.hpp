// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "adapters/http/chunked_body.hpp"
#include "adapters/http/request.hpp"

namespace kbase::http {

/// Message framing and connection persistence, derived from the header fields (RFC 9112 sections 3.2, 6 and 9.3; RFC
/// 9110 section 10.1.1). Refuses everything that two recipients could interpret differently. Not thread-safe.
class Framing {
 public:
  enum class Body { None, Fixed, Chunked };

  /// Processes one field. `name` must be in lower case.
  void read_field(std::string_view name, std::string_view value);

  /// Returns the refusal of the complete head, or nullopt if it is valid.
  std::optional<Refusal> check(unsigned minor_version, std::uint64_t max_body_bytes) const;

  Body body() const noexcept;
  std::uint64_t content_length() const noexcept { return content_length_.value_or(0); }
  bool expects_continue() const noexcept { return expects_continue_; }
  bool keep_alive(unsigned minor_version) const noexcept { return !close_ && (minor_version >= 1 || keep_alive_); }

 private:
  void read_host(std::string_view value);
  void read_content_length(std::string_view value);
  void read_transfer_encoding(std::string_view value);
  void read_connection(std::string_view value);
  void read_expect(std::string_view value);
  void refuse(unsigned status, std::string_view message);

  std::optional<Refusal> refusal_;  // the first refusal
  std::optional<std::uint64_t> content_length_;
  unsigned hosts_ = 0;
  unsigned authorizations_ = 0;
  unsigned content_types_ = 0;
  unsigned codings_ = 0;
  bool chunked_ = false;
  bool close_ = false;
  bool keep_alive_ = false;
  bool expects_continue_ = false;
};

/// Size limits of a message (docs/guide/parameters.md). A larger message is refused and the connection is closed.
struct MessageLimits {
  std::size_t request_line_bytes = 12 * 1024;  ///< 414 if larger; RFC 9112 section 3 recommends 8,000 or more
  std::size_t field_bytes = 32 * 1024;         ///< 431 if all fields together are larger; trailers have the same limit
  std::size_t fields = 128;                    ///< 431 if there are more
  std::uint64_t body_bytes = 1024 * 1024;      ///< 413 if larger; a Content-Length is checked before the body is read
};

/// Incremental HTTP/1.x request parser (RFC 9112). The outcome depends only on the bytes, not on how they are split.
/// Strict: everything it accepts has one interpretation. Each byte is scanned a bounded number of times, and common
/// requests need no allocation after the first one. Not thread-safe.
class RequestParser {
 public:
  enum class State {
    Idle,      ///< no byte of a request yet; empty lines before a request do not count
    Head,      ///< in the request line or the header fields
    Body,      ///< in the body
    Complete,  ///< request() is complete
    Refused,   ///< refusal() is the reason; no further bytes are read
  };

  explicit RequestParser(const MessageLimits& limits) : limits_(limits) {}

  /// Parses bytes up to the end of the request. Returns the number of bytes consumed, which is 0 in the states Complete
  /// and Refused.
  std::size_t feed(std::string_view bytes);

  State state() const noexcept { return state_; }

  /// Returns whether the client waits for "100 Continue" before it sends the body. Returns true at most once per
  /// request.
  bool consume_expectation() noexcept;

  /// Returns the request, as far as it is parsed. In the state Complete it may be moved from.
  Request& request() noexcept { return request_; }

  const Refusal& refusal() const noexcept { return refusal_; }

  /// Prepares for the next request of the connection.
  void next();

 private:
  enum class Line { Request, Fields };

  void read_head(std::string_view& bytes);
  void read_body(std::string_view& bytes);
  void refuse_line(LineReader::Outcome outcome);
  void accept_line();
  void accept_request_line(std::string_view line);
  void accept_version(std::string_view version);
  void accept_target(std::string_view target);
  void accept_absolute(std::string_view target);
  void accept_field(std::string_view line);
  void end_head();
  void refuse(unsigned status, std::string_view message) { refuse(Refusal{status, message}); }
  void refuse(const Refusal& refusal);
  Request::Span make_span(std::string_view part) const noexcept;

  MessageLimits limits_;
  State state_ = State::Idle;
  Line line_ = Line::Request;
  std::size_t empty_lines_ = 0;
  std::size_t field_bytes_ = 0;
  LineReader reader_;
  Framing framing_;
  std::optional<ChunkedBody> chunks_;
  bool expectation_ = false;
  Request request_;
  Refusal refusal_;
};

}  // namespace kbase::http
