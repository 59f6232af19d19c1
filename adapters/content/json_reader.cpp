// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "adapters/base/json.hpp"
#include "adapters/content/record_parser.hpp"
#include "domain/base/result.hpp"

namespace kbase::content {
namespace {

constexpr int kEnd = -1;
constexpr std::string_view kIncomplete = "not JSON: the document is incomplete";

/// Iterates over the elements of the array at the top of a JSON document, or of the only array of objects in its
/// top-level object. An object without one is itself the only element, unless its array of records is empty. Parses an
/// element only as far as needed to find its end, so that a bad element does not affect the others. Holds at most one
/// element in memory. Not thread-safe.
class ElementReader {
 public:
  /// `stream` and `map` must outlive the reader. Errors name `file`.
  ElementReader(ByteStream& stream, std::string_view file, const MemberMap& map)
      : stream_(stream), file_(file), map_(map) {}

  /// Moves to the next element; false at the end of the document. InvalidArgument: outside its elements the document is
  /// not JSON, or it has two arrays of objects.
  Result<bool> next() {
    const bool found = [this] {
      if (state_ == State::Start) {
        if (!start()) return false;
        if (state_ == State::Whole) return true;
      }
      if (state_ == State::End) return false;
      if (state_ == State::Whole) return check_end();
      if (peek_past_space() == ']' && state_ == State::FirstElement) return leave_array();
      if (state_ == State::NextElement) {
        if (peek() == ']') return leave_array();
        if (!expect(',')) return false;
      }
      state_ = State::NextElement;
      read_value();
      return !error_ && (!value_.empty() || too_long_ || fail("not JSON: a value is missing"));
    }();
    if (error_) return *error_;
    return found;
  }

  /// Valid until the next call of next(). Empty if the element is too long.
  std::string_view element() const { return value_; }
  bool too_long() const { return too_long_; }

  /// The line on which the element starts.
  std::uint64_t line() const { return value_line_; }

 private:
  enum class State : std::uint8_t { Start, FirstElement, NextElement, Whole, End };

  /// Returns the next byte without consuming it; kEnd at the end and after an error.
  int peek() {
    if (chunk_.empty() && !error_) {
      const auto chunk = stream_.next();
      if (chunk)
        chunk_ = *chunk;
      else
        error_ = chunk.error();
    }
    return chunk_.empty() ? kEnd : static_cast<unsigned char>(chunk_.front());
  }

  void consume() {
    if (chunk_.front() == '\n') ++line_;
    chunk_.remove_prefix(1);
  }

  int peek_past_space() {
    int c = peek();
    for (; c != kEnd && is_json_space(static_cast<char>(c)); c = peek()) consume();
    return c;
  }

  bool expect(char expected) {
    const int c = peek_past_space();
    if (c == kEnd) return fail(kIncomplete);
    if (c != expected) return fail(std::string("not JSON: '") + expected + "' is missing");
    consume();
    return true;
  }

  bool start() {
    for (const char mark : kByteOrderMark) {
      if (peek() != static_cast<unsigned char>(mark)) break;
      consume();
    }
    const int c = peek_past_space();
    if (c == kEnd) return fail("the document is empty");
    if (c != '[' && c != '{') return fail("expected a JSON array, or an object that contains one");
    consume();
    state_ = State::FirstElement;
    in_object_ = c == '{';
    return !in_object_ || seek_array();
  }

  /// Adds text of the top-level object to what is its only element if it turns out to have no array of objects.
  void add_to_whole(std::string_view text) {
    if (array_found_ || is_whole_too_long_) return;
    is_whole_too_long_ = text.size() > kMaxRecordBytes - whole_.size();
    if (is_whole_too_long_)
      whole_.clear();
    else
      whole_.append(text);
  }

  /// Makes the whole document the element.
  bool return_whole() {
    add_to_whole("}");
    value_ = std::move(whole_);
    too_long_ = is_whole_too_long_;
    value_line_ = whole_line_;
    state_ = State::Whole;
    return true;
  }

  /// Skips members of the top-level object up to the start of its array, or to the end of the document if the array was
  /// already read.
  bool seek_array() {
    if (!has_members_) whole_line_ = line_;
    while (peek_past_space() != '}') {
      if (has_members_ && !expect(',')) return false;
      add_to_whole(has_members_ ? "," : "{");
      has_members_ = true;
      if (peek_past_space() != '"') return fail("not JSON: the name of a member is missing");
      read_value();
      if (error_ || !expect(':')) return false;
      is_record_ = is_record_ || names_record(value_);
      add_to_whole(value_);
      add_to_whole(":");
      const bool is_array = peek_past_space() == '[';
      if (is_array) consume();
      if (is_array && peek_past_space() == '{') {
        if (array_found_) return fail("the document has more than one array of objects; expected one array of records");
        whole_.clear();
        return array_found_ = true;
      }
      has_empty_array_ = has_empty_array_ || (is_array && peek() == ']');
      read_value(is_array ? "[" : "");
      if (error_) return false;
      if (!nlohmann::json::accept(value_)) return fail("not JSON: a member of the document is malformed");
      add_to_whole(value_);
    }
    consume();
    if (!has_members_) add_to_whole("{");
    const bool is_empty_list = has_empty_array_ && !is_record_;
    return array_found_ || is_empty_list ? check_end() : return_whole();
  }

  /// Whether only a record has a member of this name, which is in quotes.
  bool names_record(std::string_view quoted) const {
    if (quoted.size() < 2) return false;
    const auto member = map_.member_of(quoted.substr(1, quoted.size() - 2));
    return member == Member::Id || member == Member::Title;
  }

  bool leave_array() {
    consume();
    return in_object_ ? seek_array() : check_end();
  }

  /// Always returns false, because there is no further element.
  bool check_end() {
    state_ = State::End;
    if (peek_past_space() != kEnd)
      return fail("unexpected text after the end of the document (a JSON Lines file must be named .jsonl or .ndjson)");
    return false;
  }

  /// Consumes the text before the next ':', ',' or closing bracket that is outside strings and brackets. `opened` is
  /// the bracket at its start if that was consumed before.
  void read_value(std::string_view opened = {}) {
    value_ = opened;
    too_long_ = false;
    peek_past_space();
    value_line_ = line_;
    for (std::size_t depth = opened.size();;) {
      const int c = peek();
      if (c == kEnd) return static_cast<void>(fail(kIncomplete));
      const bool closes = c == ']' || c == '}';
      if (depth == 0 && (closes || c == ',' || c == ':')) break;
      append(static_cast<char>(c));
      consume();
      if (c == '"') read_rest_of_string();
      if (c == '[' || c == '{') ++depth;
      if (closes) --depth;
    }
    while (!value_.empty() && is_json_space(value_.back())) value_.pop_back();
  }

  void read_rest_of_string() {
    for (bool escaped = false;;) {
      const int c = peek();
      if (c == kEnd) return;
      append(static_cast<char>(c));
      consume();
      if (c == '"' && !escaped) return;
      escaped = c == '\\' && !escaped;
    }
  }

  void append(char c) {
    if (too_long_) return;
    too_long_ = value_.size() == kMaxRecordBytes;
    if (too_long_)
      value_.clear();
    else
      value_ += c;
  }

  bool fail(std::string_view reason) {
    if (!error_) error_ = unreadable(file_, reason, line_);
    return false;
  }

  ByteStream& stream_;
  std::string_view file_;
  const MemberMap& map_;
  std::string_view chunk_;
  std::optional<Error> error_;
  std::string value_;
  std::string whole_;  // the top-level object so far, without its line ends
  std::uint64_t whole_line_ = 1;
  std::uint64_t line_ = 1;
  std::uint64_t value_line_ = 1;
  State state_ = State::Start;
  bool too_long_ = false;
  bool in_object_ = false;
  bool array_found_ = false;
  bool has_members_ = false;
  bool has_empty_array_ = false;
  bool is_record_ = false;  // the top-level object has a member that only a record has
  bool is_whole_too_long_ = false;
};

std::string_view without_digits(std::string_view text) {
  const std::size_t end = text.find_first_not_of("0123456789");
  return end == std::string_view::npos ? std::string_view() : text.substr(end);
}

/// Removes one or more digits from the front; returns false if there is no digit.
bool take_digits(std::string_view& text) {
  const std::string_view rest = without_digits(text);
  const bool taken = rest.size() < text.size();
  text = rest;
  return taken;
}

bool take_one_of(std::string_view& text, std::string_view characters) {
  if (text.empty() || characters.find(text.front()) == std::string_view::npos) return false;
  text.remove_prefix(1);
  return true;
}

}  // namespace

Result<Visit> read_json_lines(ByteStream& stream, std::string_view file, RecordKind untyped, const MemberMap& map,
                              const ports::Call& call, Visitor<ports::ContentRecord> visitor) {
  LineReader lines(stream);
  RecordParser parser(untyped, map);
  for (;;) {
    if (call.cancelled()) return reading_cancelled(file);
    const auto more = KBASE_TRY(lines.next());
    if (!more) return Visit::Continue;
    if (!lines.too_long() && std::all_of(lines.line().begin(), lines.line().end(), is_json_space)) continue;
    ports::ContentRecord record{{file, lines.number()}, ports::Reject{kRecordTooLong}};
    if (!lines.too_long()) {
      record.record = parser.parse(lines.line());
      record.text = lines.line();
      record.unknown.ignored = parser.ignored_members();
    }
    if (visitor(record) == Visit::Stop) return Visit::Stop;
  }
}

Error reading_cancelled(std::string_view file) {
  return {ErrorCode::Cancelled, "the read was cancelled", "reading " + std::string(file)};
}

Result<Visit> read_json_document(ByteStream& stream, std::string_view file, const MemberMap& map,
                                 const ports::Call& call, Visitor<ports::ContentRecord> visitor) {
  ElementReader elements(stream, file, map);
  RecordParser parser(RecordKind::Item, map);
  for (;;) {
    if (call.cancelled()) return reading_cancelled(file);
    const auto more = KBASE_TRY(elements.next());
    if (!more) return Visit::Continue;
    ports::ContentRecord record{{file, elements.line()}, ports::Reject{kRecordTooLong}};
    if (!elements.too_long()) {
      record.record = parser.parse(elements.element());
      record.text = elements.element();
      record.position.line += parser.defect_line();
      record.unknown.ignored = parser.ignored_members();
    }
    if (visitor(record) == Visit::Stop) return Visit::Stop;
  }
}

bool is_json_number(std::string_view text) {
  take_one_of(text, "-");
  const bool leading_zero = text.starts_with('0');
  if (leading_zero ? !take_one_of(text, "0") : !take_digits(text)) return false;
  if (take_one_of(text, ".") && !take_digits(text)) return false;
  if (take_one_of(text, "eE")) {
    take_one_of(text, "+-");
    if (!take_digits(text)) return false;
  }
  return text.empty();
}

void ExtraMembers::clear() {
  text_.clear();
  keys_.resize(1);
  keys_.front().clear();
  repeated_key_.reset();
  comma_next_ = false;
}

bool ExtraMembers::begin_value() {
  if (too_long()) return false;
  if (comma_next_) text_ += ',';
  comma_next_ = true;
  return true;
}

void ExtraMembers::key(std::string_view name) {
  if (!begin_value()) return;
  if (!keys_.back().emplace(name).second) {
    repeated_key_ = name;
    repeats_within_ = keys_.size() > 1;
  }
  json::append_string(text_, name);
  text_ += ':';
  comma_next_ = false;
}

void ExtraMembers::string(std::string_view text) {
  if (begin_value()) json::append_string(text_, text);
}

void ExtraMembers::literal(std::string_view text) {
  if (begin_value()) text_ += text;
}

void ExtraMembers::open(char bracket) {
  if (!begin_value()) return;
  text_ += bracket;
  comma_next_ = false;
  if (bracket == '{') keys_.emplace_back();
}

void ExtraMembers::close(char bracket) {
  if (too_long()) return;
  text_ += bracket;
  comma_next_ = true;
  if (bracket == '}') keys_.pop_back();
}

}  // namespace kbase::content
