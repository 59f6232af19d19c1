// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace kbase::http {

/// Gathers one line that ends with CR LF, however the bytes arrive; looks at each byte once. Appends to a text that the
/// caller owns, so that several lines can lie in one block.
class LineReader {
 public:
  enum class Outcome {
    Line,       ///< the line is whole
    More,       ///< all bytes are taken, its end is still to come
    Malformed,  ///< a CR without LF, or an LF without CR (RFC 9112 section 2.2)
    TooLong,
  };

  /// Takes bytes up to the line's end off `bytes`. The line may have `limit` bytes, its CR LF not counted.
  Outcome read(std::string_view& bytes, std::string& text, std::size_t limit);

  /// Where in the text the line starts, and how long it is without its CR LF; after Outcome::Line.
  std::size_t start() const noexcept { return start_; }
  std::size_t size() const noexcept { return size_; }

  /// The next line starts at the end of `text`.
  void next(const std::string& text) noexcept { start_ = scanned_ = text.size(); }

 private:
  std::size_t start_ = 0;
  std::size_t size_ = 0;
  std::size_t scanned_ = 0;  // up to here there is no CR in the line
};

}  // namespace kbase::http
