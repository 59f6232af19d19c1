// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "adapters/http/chunked_body.hpp"
#include "adapters/http/framing.hpp"
#include "adapters/http/line_reader.hpp"
#include "adapters/http/refusal.hpp"
#include "adapters/http/request.hpp"

namespace kbase::http {

/// The sizes of a message (docs/guide/parameters.md); past them it is refused and the connection closes.
struct MessageLimits {
  std::size_t request_line_bytes = 12 * 1024;  ///< more is 414; 8,000 work everywhere (RFC 9112 section 3)
  std::size_t field_bytes = 32 * 1024;         ///< of all fields together; more is 431. So many again for trailers
  std::size_t fields = 128;                    ///< more is 431
  std::uint64_t body_bytes = 1024 * 1024;      ///< more is 413, by Content-Length before any of it is read
};

/// Cuts the bytes of a connection into requests by RFC 9112, however they arrive: the outcome depends on the bytes
/// alone, never on where they were split. Strict: there is one way to read what it accepts. Each byte is looked at a
/// bounded number of times, and a common request allocates nothing once the parser has served one before.
class RequestParser {
 public:
  enum class State {
    Idle,      ///< no byte of a request yet (empty lines between requests are none)
    Head,      ///< in the request line or the fields
    Body,      ///< in the body
    Complete,  ///< request() is whole
    Refused,   ///< refusal() says why; nothing after it is read
  };

  explicit RequestParser(const MessageLimits& limits) : limits_(limits) {}

  /// Takes bytes up to the end of the request, or all; returns how many. None in Complete and Refused.
  std::size_t feed(std::string_view bytes);

  State state() const noexcept { return state_; }

  /// Whether the client waits for "100 Continue" before it sends the body; true once for each request.
  bool take_expectation() noexcept;

  /// In Complete. May be moved from.
  Request& request() noexcept { return request_; }

  const Refusal& refusal() const noexcept { return refusal_; }

  /// Ready for the next request of the connection.
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
  Request::Span span_of(std::string_view part) const noexcept;

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
