// SPDX-License-Identifier: Apache-2.0
#include "adapters/http/request_parser.hpp"

#include <algorithm>
#include <limits>

#include "adapters/http/syntax.hpp"

namespace kbase::http {
namespace {

constexpr std::size_t kMaxSizeLine = 4 * 1024;
constexpr std::size_t kMaxExtensionBytes = 16 * 1024;  // total of all chunks of a body

/// Removes the token or the quoted string at the start of `text`. Returns false if there is neither.
bool skip_word(std::string_view& text, bool may_be_quoted) {
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

bool skip_char(std::string_view& text, char c) {
  if (!text.starts_with(c)) return false;
  text.remove_prefix(1);
  return true;
}

void skip_space(std::string_view& text) { text.remove_prefix(std::min(text.find_first_not_of(" \t"), text.size())); }

/// Returns whether `text` is a chunk-ext (RFC 9112 section 7.1.1), which may be empty.
bool is_extension(std::string_view text) {
  if (!is_field_text(text)) return false;
  while (!text.empty()) {
    skip_space(text);
    if (!skip_char(text, ';')) return false;
    skip_space(text);
    if (!skip_word(text, false)) return false;
    std::string_view value = text;
    skip_space(value);
    if (!skip_char(value, '=')) continue;
    skip_space(value);
    if (!skip_word(value, true)) return false;
    text = value;
  }
  return true;
}

}  // namespace

LineReader::Outcome LineReader::read(std::string_view& bytes, std::string& text, std::size_t limit) {
  // The two bytes above the limit are for CR LF, so a line is refused at the first byte that makes it too long.
  const std::size_t space = limit + 2 - (text.size() - start_);
  const std::size_t end = bytes.substr(0, space).find('\n');
  const bool ended = end != std::string_view::npos;
  const std::size_t consumed = ended ? end + 1 : std::min(bytes.size(), space);
  text.append(bytes.substr(0, consumed));
  bytes.remove_prefix(consumed);

  const std::size_t cr = text.find('\r', scanned_);
  const bool has_cr = cr != std::string::npos;
  const std::size_t line_end = has_cr ? cr : text.size() - (ended ? 1 : 0);
  // Check the length before anything else, so that the outcome does not depend on how the bytes were split.
  if (line_end - start_ > limit) return Outcome::TooLong;
  if (ended ? !has_cr || cr + 2 != text.size() : has_cr && cr + 1 != text.size()) return Outcome::Malformed;
  scanned_ = line_end;
  if (!ended) return Outcome::More;
  size_ = line_end - start_;
  return Outcome::Line;
}

std::optional<FieldLine> parse_field_line(std::string_view line, Refusal& refusal) {
  const auto refuse = [&](std::string_view message) {
    refusal = {400, message};
    return std::nullopt;
  };
  if (line.front() == ' ' || line.front() == '\t') return refuse("A header field is folded over several lines.");
  const std::size_t colon = line.find(':');
  if (colon == std::string_view::npos) return refuse("A header field has no colon.");
  const FieldLine field{line.substr(0, colon), trim(line.substr(colon + 1))};
  if (!is_token(field.name)) return refuse("The name of a header field is empty or has an invalid character.");
  if (!is_field_text(field.value)) return refuse("The value of a header field has a control character.");
  return field;
}

ChunkedBody::Outcome ChunkedBody::refuse(unsigned status, std::string_view message) {
  refusal_ = {status, message};
  return Outcome::Refused;
}

ChunkedBody::Outcome ChunkedBody::refuse_line(LineReader::Outcome outcome, const Refusal& too_long) {
  if (outcome == LineReader::Outcome::TooLong) return refuse(too_long.status, too_long.message);
  return refuse(400, "A line of the chunked body does not end with CR LF.");
}

void ChunkedBody::start_line() {
  line_.clear();
  reader_.next(line_);
}

ChunkedBody::Outcome ChunkedBody::read(std::string_view& bytes, std::string& body) {
  while (state_ != State::End) {
    Outcome outcome = Outcome::More;
    switch (state_) {
      case State::Size: outcome = read_size(bytes); break;
      case State::Data: outcome = read_data(bytes, body); break;
      case State::DataEnd: outcome = read_data_end(bytes); break;
      case State::Trailer:
      case State::End: outcome = read_trailer(bytes); break;
    }
    if (outcome != Outcome::Complete) return outcome;
  }
  return Outcome::Complete;
}

// Each read_... function below returns Complete when its part is done and state_ is the next one.

ChunkedBody::Outcome ChunkedBody::read_size(std::string_view& bytes) {
  const LineReader::Outcome outcome = reader_.read(bytes, line_, kMaxSizeLine);
  if (outcome == LineReader::Outcome::More) return Outcome::More;
  if (outcome != LineReader::Outcome::Line) return refuse_line(outcome, {400, "The size line of a chunk is too long."});
  const Outcome accepted = accept_size(std::string_view(line_).substr(0, reader_.size()));
  start_line();
  return accepted;
}

ChunkedBody::Outcome ChunkedBody::accept_size(std::string_view line) {
  constexpr std::uint64_t kMax = std::numeric_limits<std::uint64_t>::max();
  std::uint64_t size = 0;  // saturates at the maximum
  std::size_t digits = 0;
  for (; digits < line.size() && hex_value(line[digits]) >= 0; ++digits)
    size = size > kMax / 16 ? kMax : size * 16 + static_cast<std::uint64_t>(hex_value(line[digits]));
  const std::string_view extension = line.substr(digits);
  if (digits == 0 || !is_extension(extension)) return refuse(400, "The size or the extension of a chunk is malformed.");
  extension_bytes_ += extension.size();
  if (extension_bytes_ > kMaxExtensionBytes) return refuse(400, "The chunk extensions are too long.");
  if (size > limits_.body_bytes - total_) return refuse(413, {});
  total_ += size;
  remaining_ = size;
  state_ = size > 0 ? State::Data : State::Trailer;
  return Outcome::Complete;
}

ChunkedBody::Outcome ChunkedBody::read_data(std::string_view& bytes, std::string& body) {
  const auto consumed = static_cast<std::size_t>(std::min<std::uint64_t>(remaining_, bytes.size()));
  body.append(bytes.substr(0, consumed));
  bytes.remove_prefix(consumed);
  remaining_ -= consumed;
  if (remaining_ > 0) return Outcome::More;
  state_ = State::DataEnd;
  return Outcome::Complete;
}

ChunkedBody::Outcome ChunkedBody::read_data_end(std::string_view& bytes) {
  const LineReader::Outcome outcome = reader_.read(bytes, line_, 0);
  if (outcome == LineReader::Outcome::More) return Outcome::More;
  if (outcome != LineReader::Outcome::Line) return refuse_line(outcome, {400, "A chunk is longer than its size."});
  start_line();
  state_ = State::Size;
  return Outcome::Complete;
}

ChunkedBody::Outcome ChunkedBody::read_trailer(std::string_view& bytes) {
  const LineReader::Outcome outcome = reader_.read(bytes, line_, limits_.trailer_bytes - trailer_bytes_);
  if (outcome == LineReader::Outcome::More) return Outcome::More;
  if (outcome != LineReader::Outcome::Line) return refuse_line(outcome, {431, "The trailer fields are too large."});
  const Outcome accepted = accept_trailer(std::string_view(line_).substr(0, reader_.size()));
  start_line();
  return accepted;
}

ChunkedBody::Outcome ChunkedBody::accept_trailer(std::string_view line) {
  if (line.empty()) {
    state_ = State::End;
    return Outcome::Complete;
  }
  trailer_bytes_ += line.size();
  if (++trailer_fields_ > limits_.trailer_fields) return refuse(431, "There are too many trailer fields.");
  if (!parse_field_line(line, refusal_)) return Outcome::Refused;
  return Outcome::Complete;
}

}  // namespace kbase::http
