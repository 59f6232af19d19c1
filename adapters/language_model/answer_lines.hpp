// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <string_view>

#include "domain/model/result.hpp"
#include "ports/driven/http_client.hpp"

namespace kbase::language_model {

/// Maximum size of a line and of an event. Bounds the memory of a stream.
inline constexpr std::size_t kMaxLineBytes = std::size_t{1} << 20;

/// Splits a response into lines and returns each line as soon as it is complete. Lines end with CR LF, LF or CR (WHATWG
/// HTML, section 9.2.5; a line of JSON contains neither). Removes the line end, and a byte order mark before the first
/// line.
class AnswerLines {
 public:
  /// `answer` must outlive this object.
  explicit AnswerLines(ports::HttpExchange& answer) : answer_(answer) {}

  /// Waits for the next line; false at the end. Errors: those of `answer`; BadUpstream: the line is too long.
  model::Result<bool> next();

  /// Valid until the next call of next().
  std::string_view line() const { return line_; }

 private:
  void skip_second_half();
  bool take_line();
  model::Status keep_rest();

  ports::HttpExchange& answer_;
  std::array<char, 1024> buffer_{};  // small, because each open stream holds one
  std::string_view rest_;            // unread part of the buffer
  std::string joined_;               // line that arrived in several reads
  std::string_view line_;
  bool is_first_ = true;
  bool ended_with_cr_ = false;  // the last line did; a following LF is part of the same line end
};

}  // namespace kbase::language_model
