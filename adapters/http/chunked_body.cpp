// SPDX-License-Identifier: Apache-2.0
#include "adapters/http/chunked_body.hpp"

#include <algorithm>

#include "adapters/http/field_line.hpp"
#include "adapters/http/syntax.hpp"

namespace kbase::http {
namespace {

constexpr std::size_t kMaxSizeLine = 4 * 1024;
constexpr std::size_t kMaxExtensionBytes = 16 * 1024;  // of all chunks of a body together
constexpr std::size_t kMaxSizeDigits = 16;

}  // namespace

ChunkedBody::Outcome ChunkedBody::refuse(unsigned status, std::string_view message) {
  refusal_ = {status, message};
  return Outcome::Refused;
}

ChunkedBody::Outcome ChunkedBody::refuse_line(LineReader::Outcome outcome, const Refusal& too_long) {
  if (outcome == LineReader::Outcome::TooLong) return refuse(too_long.status, too_long.message);
  return refuse(400, "A line of the chunked body does not end with CR LF.");
}

void ChunkedBody::next_line() {
  line_.clear();
  reader_.next(line_);
}

ChunkedBody::Outcome ChunkedBody::read(std::string_view& bytes, std::string& body) {
  while (part_ != Part::End) {
    Outcome outcome = Outcome::More;
    switch (part_) {
      case Part::Size:
        outcome = read_size(bytes);
        break;
      case Part::Data:
        outcome = read_data(bytes, body);
        break;
      case Part::DataEnd:
        outcome = read_data_end(bytes);
        break;
      case Part::Trailer:
      case Part::End:
        outcome = read_trailer(bytes);
        break;
    }
    if (outcome != Outcome::Complete) return outcome;
  }
  return Outcome::Complete;
}

// Each read_… below is Complete when its part is done and part_ names the next one.

ChunkedBody::Outcome ChunkedBody::read_size(std::string_view& bytes) {
  const LineReader::Outcome outcome = reader_.read(bytes, line_, kMaxSizeLine);
  if (outcome == LineReader::Outcome::More) return Outcome::More;
  if (outcome != LineReader::Outcome::Line) return refuse_line(outcome, {400, "A chunk's size line is too long."});
  const Outcome accepted = accept_size(std::string_view(line_).substr(0, reader_.size()));
  next_line();
  return accepted;
}

ChunkedBody::Outcome ChunkedBody::accept_size(std::string_view line) {
  std::uint64_t size = 0;
  std::size_t digits = 0;
  for (; digits < line.size() && hex_value(line[digits]) >= 0; ++digits) {
    if (digits == kMaxSizeDigits) return refuse(400, "A chunk's size has too many digits.");
    size = size * 16 + static_cast<std::uint64_t>(hex_value(line[digits]));
  }
  const std::string_view extension = line.substr(digits);
  const std::size_t first = extension.find_first_not_of(" \t");
  const bool is_extension = first != std::string_view::npos && extension[first] == ';' && is_field_text(extension);
  if (digits == 0 || (!extension.empty() && !is_extension)) return refuse(400, "A chunk's size is malformed.");
  extension_bytes_ += extension.size();
  if (extension_bytes_ > kMaxExtensionBytes) return refuse(400, "The chunk extensions are too long.");
  if (size > limits_.body_bytes - total_) return refuse(413, "The body is larger than this server takes.");
  total_ += size;
  remaining_ = size;
  part_ = size > 0 ? Part::Data : Part::Trailer;
  return Outcome::Complete;
}

ChunkedBody::Outcome ChunkedBody::read_data(std::string_view& bytes, std::string& body) {
  const auto taken = static_cast<std::size_t>(std::min<std::uint64_t>(remaining_, bytes.size()));
  body.append(bytes.substr(0, taken));
  bytes.remove_prefix(taken);
  remaining_ -= taken;
  if (remaining_ > 0) return Outcome::More;
  part_ = Part::DataEnd;
  return Outcome::Complete;
}

ChunkedBody::Outcome ChunkedBody::read_data_end(std::string_view& bytes) {
  const LineReader::Outcome outcome = reader_.read(bytes, line_, 0);
  if (outcome == LineReader::Outcome::More) return Outcome::More;
  if (outcome != LineReader::Outcome::Line) return refuse_line(outcome, {400, "A chunk is longer than its size."});
  next_line();
  part_ = Part::Size;
  return Outcome::Complete;
}

ChunkedBody::Outcome ChunkedBody::read_trailer(std::string_view& bytes) {
  const LineReader::Outcome outcome = reader_.read(bytes, line_, limits_.trailer_bytes - trailer_bytes_);
  if (outcome == LineReader::Outcome::More) return Outcome::More;
  if (outcome != LineReader::Outcome::Line) return refuse_line(outcome, {431, "The trailer fields are too large."});
  const Outcome accepted = accept_trailer(std::string_view(line_).substr(0, reader_.size()));
  next_line();
  return accepted;
}

ChunkedBody::Outcome ChunkedBody::accept_trailer(std::string_view line) {
  if (line.empty()) {
    part_ = Part::End;
    return Outcome::Complete;
  }
  trailer_bytes_ += line.size();
  if (++trailer_fields_ > limits_.trailer_fields) return refuse(431, "There are too many trailer fields.");
  if (!parse_field_line(line, refusal_)) return Outcome::Refused;
  return Outcome::Complete;
}

}  // namespace kbase::http
