// SPDX-License-Identifier: Apache-2.0
#include "adapters/content/json_document.hpp"

#include <nlohmann/json.hpp>

#include "adapters/content/json_lines.hpp"
#include "adapters/content/json_text.hpp"
#include "adapters/content/line_reader.hpp"
#include "adapters/content/record_parser.hpp"

namespace kbase::content {
namespace {

constexpr int kEnd = -1;
constexpr std::string_view kCutOff = "not JSON: the document ends too early";

}  // namespace

model::Result<bool> ElementReader::next() {
  const bool found = [this] {
    if (at_ == At::Start && !start()) return false;
    if (at_ == At::End) return false;
    if (peek_past_space() == ']' && at_ == At::FirstElement) return leave_array();
    if (at_ == At::NextElement) {
      if (peek() == ']') return leave_array();
      if (!expect(',')) return false;
    }
    at_ = At::NextElement;
    take_value();
    return !error_ && (!value_.empty() || too_long_ || fail("not JSON: a value is missing"));
  }();
  if (error_) return *error_;
  return found;
}

/// Returns the next byte without consuming it; kEnd at the end and after an error.
int ElementReader::peek() {
  if (chunk_.empty() && !error_) {
    const auto chunk = stream_.next();
    if (chunk)
      chunk_ = *chunk;
    else
      error_ = chunk.error();
  }
  return chunk_.empty() ? kEnd : static_cast<unsigned char>(chunk_.front());
}

void ElementReader::take() {
  if (chunk_.front() == '\n') ++line_;
  chunk_.remove_prefix(1);
}

int ElementReader::peek_past_space() {
  int c = peek();
  for (; c != kEnd && is_json_space(static_cast<char>(c)); c = peek()) take();
  return c;
}

bool ElementReader::expect(char wanted) {
  const int c = peek_past_space();
  if (c == kEnd) return fail(kCutOff);
  if (c != wanted) return fail(std::string("not JSON: '") + wanted + "' is missing");
  take();
  return true;
}

bool ElementReader::start() {
  for (const char mark : kByteOrderMark) {
    if (peek() != static_cast<unsigned char>(mark)) break;
    take();
  }
  const int c = peek_past_space();
  if (c == kEnd) return fail("the document is empty");
  if (c != '[' && c != '{') return fail("not a JSON array, nor an object that has one");
  take();
  at_ = At::FirstElement;
  in_object_ = c == '{';
  return !in_object_ || seek_array();
}

/// Skips members of the top-level object up to the start of its array, or to the end of the document if the array was
/// already read.
bool ElementReader::seek_array() {
  while (peek_past_space() != '}') {
    if (members_begun_ && !expect(',')) return false;
    members_begun_ = true;
    if (peek_past_space() != '"') return fail("not JSON: the name of a member is missing");
    take_value();
    if (error_ || !expect(':')) return false;
    if (peek_past_space() == '[') {
      if (array_found_) return fail("the document has two arrays: wanted one, of records");
      take();
      return array_found_ = true;
    }
    take_value();
    if (error_) return false;
    if (!nlohmann::json::accept(value_)) return fail("not JSON: a member of the document is malformed");
  }
  take();
  if (!array_found_) return fail("the document has no array");
  return check_end();
}

bool ElementReader::leave_array() {
  take();
  return in_object_ ? seek_array() : check_end();
}

/// Always returns false, because there is no further element.
bool ElementReader::check_end() {
  at_ = At::End;
  if (peek_past_space() != kEnd)
    return fail("text after the document's end (JSON Lines are read from files named .jsonl or .ndjson)");
  return false;
}

/// Consumes the text before the next ':', ',' or closing bracket that is outside strings and brackets.
void ElementReader::take_value() {
  value_.clear();
  too_long_ = false;
  peek_past_space();
  value_line_ = line_;
  for (std::size_t depth = 0;;) {
    const int c = peek();
    if (c == kEnd) return static_cast<void>(fail(kCutOff));
    const bool closes = c == ']' || c == '}';
    if (depth == 0 && (closes || c == ',' || c == ':')) break;
    keep(static_cast<char>(c));
    take();
    if (c == '"') take_rest_of_string();
    if (c == '[' || c == '{') ++depth;
    if (closes) --depth;
  }
  while (!value_.empty() && is_json_space(value_.back())) value_.pop_back();
}

void ElementReader::take_rest_of_string() {
  for (bool escaped = false;;) {
    const int c = peek();
    if (c == kEnd) return;
    keep(static_cast<char>(c));
    take();
    if (c == '"' && !escaped) return;
    escaped = c == '\\' && !escaped;
  }
}

void ElementReader::keep(char c) {
  if (too_long_) return;
  too_long_ = value_.size() == kMaxRecordBytes;
  if (too_long_)
    value_.clear();
  else
    value_ += c;
}

bool ElementReader::fail(std::string_view reason) {
  if (!error_) error_ = unreadable(file_, reason, line_);
  return false;
}

model::Result<model::Visit> read_json_document(ByteStream& stream, std::string_view file, const ports::Call& call,
                                               model::Visitor<ports::ContentRecord> visitor) {
  ElementReader elements(stream, file);
  RecordParser parser(RecordKind::Item);
  for (;;) {
    if (call.cancelled()) return reading_cancelled(file);
    const auto more = elements.next();
    if (!more) return more.error();
    if (!*more) return model::Visit::Continue;
    ports::ContentRecord record{{file, elements.line()}, ports::Reject{kRecordTooLong, {}}};
    if (!elements.too_long()) {
      record.record = parser.parse(elements.element());
      record.place.line += parser.defect_line();
      record.unknown.passed_over = parser.passed_over();
    }
    if (visitor(record) == model::Visit::Stop) return model::Visit::Stop;
  }
}

}  // namespace kbase::content
