// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace kbase::http {

/// Incremental reader of lines that end with CR LF. Scans each byte a bounded number of times. Appends to a text owned
/// by the caller, so that several lines can share one block. Not thread-safe.
class LineReader {
 public:
  enum class Outcome {
    Line,       ///< the line is complete
    More,       ///< all bytes were consumed; the end of the line is missing
    Malformed,  ///< a CR without LF, or an LF without CR (RFC 9112 section 2.2)
    TooLong,
  };

  /// Consumes `bytes` up to the end of the line. `limit` is the maximum length of the line without CR LF.
  Outcome read(std::string_view& bytes, std::string& text, std::size_t limit);

  /// Return the offset of the line in the text and its length without CR LF. Valid after Outcome::Line.
  std::size_t start() const noexcept { return start_; }
  std::size_t size() const noexcept { return size_; }

  /// Starts the next line at the end of `text`.
  void next(const std::string& text) noexcept { start_ = scanned_ = text.size(); }

 private:
  std::size_t start_ = 0;
  std::size_t size_ = 0;
  std::size_t scanned_ = 0;  // there is no CR in the line before this offset
};

}  // namespace kbase::http
