// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <string_view>

#include "domain/base/result.hpp"
#include "ports/driven/http_client.hpp"

namespace kbase::language_model {

/// Maximum size of a line and of an event. Bounds the memory of a stream.
inline constexpr std::size_t kMaxLineBytes = std::size_t{1} << 20;

/// Splits a response into lines and returns each line as soon as it is complete. Lines end with CR LF, LF or CR (WHATWG
/// HTML, section 9.2.5; a line of JSON contains neither). Removes the line end, and a byte order mark before the first
/// line.
class ResponseLines {
 public:
  /// `response` must outlive this object.
  explicit ResponseLines(ports::HttpExchange& response) : response_(response) {}

  /// Waits for the next line; false at the end. Errors: those of `response`; BadUpstream: the line is too long.
  Result<bool> next();

  /// Valid until the next call of next().
  std::string_view line() const { return line_; }

 private:
  void skip_line_feed();
  bool read_line();
  Status buffer_rest();

  ports::HttpExchange& response_;
  std::array<char, 1024> buffer_{};  // small, because each open stream holds one
  std::string_view rest_;            // unread part of the buffer
  std::string joined_;               // line that arrived in several reads
  std::string_view line_;
  bool is_first_ = true;
  bool ended_with_cr_ = false;  // the last line did; a following LF is part of the same line end
};

/// How a response is split into the parts of a stream.
enum class Framing {
  Events,  ///< text/event-stream: a part is the data of an event
  Lines,   ///< application/x-ndjson: a part is a line
};

/// Splits a response into the parts of a stream and returns each part as soon as it is complete. Uses only the data of
/// server-sent events (WHATWG HTML, section 9.2.6), because the data contains the type of the event too. Ignores events
/// without data, an event that the end of the response cuts off, and comments and empty lines, which only keep the
/// connection alive.
class PartStream {
 public:
  /// `response` must outlive this object.
  PartStream(ports::HttpExchange& response, Framing framing) : lines_(response), framing_(framing) {}

  /// Waits for the next part; false at the end. Errors: those of `response`; BadUpstream: a part is too long.
  Result<bool> next() { return framing_ == Framing::Events ? next_event() : next_line(); }

  /// Valid until the next call of next().
  std::string_view part() const { return part_; }

 private:
  Result<bool> next_event();
  Result<bool> next_line();
  Status read_field(std::string_view line);

  ResponseLines lines_;
  const Framing framing_;
  std::string data_;  // data of the current event
  bool has_data_ = false;
  std::string_view part_;
};

}  // namespace kbase::language_model
