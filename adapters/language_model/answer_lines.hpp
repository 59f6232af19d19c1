// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <string_view>

#include "domain/model/result.hpp"
#include "ports/driven/http_client.hpp"

namespace kbase::language_model {

/// The most bytes of one line, and of one event: what bounds the memory of a stream.
inline constexpr std::size_t kMaxLineBytes = std::size_t{1} << 20;

/// Cuts an answer into lines, each of which is there as soon as its end came. Lines end with CR LF, LF or CR (WHATWG
/// HTML, section 9.2.5; lines of JSON hold neither); that and a byte order mark before the first are no part of them.
class AnswerLines {
 public:
  /// `answer` outlives it.
  explicit AnswerLines(ports::HttpExchange& answer) : answer_(answer) {}

  /// Waits for the next line; false at the end. Errors: the answer's; BadUpstream: the line is too long.
  model::Result<bool> next();

  /// Valid until next() is called again.
  std::string_view line() const { return line_; }

 private:
  void skip_second_half();
  bool take_line();
  model::Status keep_rest();

  ports::HttpExchange& answer_;
  std::array<char, 1024> buffer_{};  // many streams hold one
  std::string_view rest_;            // of the buffer
  std::string joined_;               // a line that came in several pieces
  std::string_view line_;
  bool is_first_ = true;
  bool ended_with_cr_ = false;  // the last line did; an LF that comes next belongs to it
};

}  // namespace kbase::language_model
