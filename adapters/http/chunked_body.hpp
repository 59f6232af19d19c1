// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "adapters/http/line_reader.hpp"
#include "adapters/http/refusal.hpp"

namespace kbase::http {

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
  enum class Part { Size, Data, DataEnd, Trailer, End };

  Outcome read_size(std::string_view& bytes);
  Outcome read_data(std::string_view& bytes, std::string& body);
  Outcome read_data_end(std::string_view& bytes);
  Outcome read_trailer(std::string_view& bytes);
  Outcome accept_size(std::string_view line);
  Outcome accept_trailer(std::string_view line);
  Outcome refuse(unsigned status, std::string_view message);
  Outcome refuse_line(LineReader::Outcome outcome, const Refusal& too_long);
  void next_line();

  Limits limits_;
  Part part_ = Part::Size;
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
