// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "adapters/http/request.hpp"

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

/// A field line split into name and value (RFC 9112 section 5). Views into the line.
struct FieldLine {
  std::string_view name;
  std::string_view value;
};

/// Splits `line`, which must not include CR LF. Returns nullopt and sets `refusal` if it is not a field line, or if
/// recipients could interpret it differently (obs-fold, a space before the colon, a control character).
std::optional<FieldLine> parse_field_line(std::string_view line, Refusal& refusal);

/// Decoder of the chunked transfer coding (RFC 9112 section 7.1). Validates and drops chunk extensions and trailer
/// fields. Uses memory for one line in addition to the body. Not thread-safe.
class ChunkedBody {
 public:
  struct Limits {
    std::uint64_t body_bytes = 0;
    std::size_t trailer_bytes = 0;  ///< total of all trailer fields
    std::size_t trailer_fields = 0;
  };
  enum class Outcome { More, Complete, Refused };

  explicit ChunkedBody(const Limits& limits) : limits_(limits) {}

  /// Removes the encoded data from the start of `bytes`, up to the end of the coding, and appends the decoded data to
  /// `body`.
  Outcome read(std::string_view& bytes, std::string& body);

  /// Valid after Outcome::Refused.
  const Refusal& refusal() const noexcept { return refusal_; }

 private:
  enum class State { Size, Data, DataEnd, Trailer, End };

  Outcome read_size(std::string_view& bytes);
  Outcome read_data(std::string_view& bytes, std::string& body);
  Outcome read_data_end(std::string_view& bytes);
  Outcome read_trailer(std::string_view& bytes);
  Outcome accept_size(std::string_view line);
  Outcome accept_trailer(std::string_view line);
  Outcome refuse(unsigned status, std::string_view message);
  Outcome refuse_line(LineReader::Outcome outcome, const Refusal& too_long);
  void start_line();

  Limits limits_;
  State state_ = State::Size;
  std::uint64_t remaining_ = 0;  // bytes left in the current chunk
  std::uint64_t total_ = 0;      // sum of all chunk sizes so far
  std::size_t extension_bytes_ = 0;
  std::size_t trailer_bytes_ = 0;
  std::size_t trailer_fields_ = 0;
  std::string line_;
  LineReader reader_;
  Refusal refusal_;
};

}  // namespace kbase::http
