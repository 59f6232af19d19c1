// SPDX-License-Identifier: Apache-2.0
#include "adapters/http/chunked_body.hpp"

#include <algorithm>
#include <limits>

#include "adapters/http/field_line.hpp"
#include "adapters/http/syntax.hpp"

namespace kbase::http {
namespace {

constexpr std::size_t kMaxSizeLine = 4 * 1024;
constexpr std::size_t kMaxExtensionBytes = 16 * 1024;  // total of all chunks of a body

/// Removes the token or the quoted string at the start of `text`. Returns false if there is neither.
bool take_word(std::string_view& text, bool may_be_quoted) {
  if (may_be_quoted && text.starts_with('"')) {
    std::size_t end = 1;
    while (end < text.size() && text[end] != '"') end += text[end] == '\\' ? 2 : 1;
    if (end >= text.size()) return false;
    text.remove_prefix(end + 1);
    return true;
  }
  std::size_t end = 0;
  while (end < text.size() && is_token(text.substr(end, 1))) ++end;
  text.remove_prefix(end);
  return end > 0;
}

bool take(std::string_view& text, char c) {
  if (!text.starts_with(c)) return false;
  text.remove_prefix(1);
  return true;
}

void skip_space(std::string_view& text) {
  text.remove_prefix(std::min(text.find_first_not_of(" \t"), text.size()));
}

/// Returns whether `text` is a chunk-ext (RFC 9112 section 7.1.1), which may be empty.
bool is_extension(std::string_view text) {
  if (!is_field_text(text)) return false;
  while (!text.empty()) {
    skip_space(text);
    if (!take(text, ';')) return false;
    skip_space(text);
    if (!take_word(text, false)) return false;
    std::string_view value = text;
    skip_space(value);
    if (!take(value, '=')) continue;
    skip_space(value);
    if (!take_word(value, true)) return false;
    text = value;
  }
  return true;
}

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

// Each read_... function below returns Complete when its part is done and part_ is the next one.

ChunkedBody::Outcome ChunkedBody::read_size(std::string_view& bytes) {
  const LineReader::Outcome outcome = reader_.read(bytes, line_, kMaxSizeLine);
  if (outcome == LineReader::Outcome::More) return Outcome::More;
  if (outcome != LineReader::Outcome::Line) return refuse_line(outcome, {400, "A chunk's size line is too long."});
  const Outcome accepted = accept_size(std::string_view(line_).substr(0, reader_.size()));
  next_line();
  return accepted;
}

ChunkedBody::Outcome ChunkedBody::accept_size(std::string_view line) {
  constexpr std::uint64_t kMost = std::numeric_limits<std::uint64_t>::max();
  std::uint64_t size = 0;  // saturates at the maximum
  std::size_t digits = 0;
  for (; digits < line.size() && hex_value(line[digits]) >= 0; ++digits)
    size = size > kMost / 16 ? kMost : size * 16 + static_cast<std::uint64_t>(hex_value(line[digits]));
  const std::string_view extension = line.substr(digits);
  if (digits == 0 || !is_extension(extension)) return refuse(400, "A chunk's size or its extension is malformed.");
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
