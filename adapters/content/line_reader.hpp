// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "adapters/content/byte_stream.hpp"

namespace kbase::content {

/// Maximum size of one record in its source. Bounds the memory of a read.
inline constexpr std::size_t kMaxRecordBytes = std::size_t{64} << 20;
inline constexpr std::string_view kRecordTooLong = "the record is longer than 64 MiB";

/// Splits a stream into lines. Removes a byte order mark before the first line, and the LF or CR LF after each line.
class LineReader {
 public:
  /// `stream` must outlive the reader. A line of more than `most_bytes` bytes is too long.
  explicit LineReader(ByteStream& stream, std::size_t most_bytes = kMaxRecordBytes)
      : stream_(stream), most_bytes_(most_bytes) {}

  /// Moves to the next line; false at the end. Errors: those of the stream.
  model::Result<bool> next();

  /// Valid until the next call of next(). Empty if the line is too long.
  std::string_view line() const { return line_; }
  bool too_long() const { return too_long_; }

  /// Number of the line, counted from 1.
  std::uint64_t number() const { return number_; }

 private:
  void append(std::string_view part);
  void end_line();

  ByteStream& stream_;
  const std::size_t most_bytes_;
  std::string_view rest_;  // unread part of the stream's chunk
  std::string joined_;     // line that spans several chunks
  std::string_view line_;
  std::uint64_t number_ = 0;
  bool too_long_ = false;
};

}  // namespace kbase::content
