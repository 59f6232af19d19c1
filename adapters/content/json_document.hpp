// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "adapters/content/byte_stream.hpp"
#include "adapters/content/record_draft.hpp"
#include "ports/driven/content_source.hpp"

namespace kbase::content {

/// Finds the elements of the one array of a JSON document: the array at its top, or the one member of the object at its
/// top that is an array. Looks no deeper into an element than to find its end, so that a bad one spoils no other, and
/// has no more than one in memory. One thread.
class ElementReader {
 public:
  /// `stream` must outlive the reader; `file` is named in errors.
  ElementReader(ByteStream& stream, std::string_view file) : stream_(stream), file_(file) {}

  /// Goes to the next element; false at the document's end. InvalidArgument: the document outside its elements is not
  /// JSON, has no array or has two.
  model::Result<bool> next();

  /// Valid until the next call of next(); empty where the element is too long.
  std::string_view element() const { return value_; }
  bool too_long() const { return too_long_; }

  /// The line the element starts on.
  std::uint64_t line() const { return value_line_; }

 private:
  enum class At : std::uint8_t { Start, FirstElement, NextElement, End };

  int peek();
  void take();
  int peek_past_space();
  bool expect(char wanted);
  bool start();
  bool seek_array();
  bool leave_array();
  bool check_end();
  void take_value();
  void take_rest_of_string();
  void keep(char c);
  bool fail(std::string_view reason);

  ByteStream& stream_;
  std::string_view file_;
  std::string_view chunk_;
  std::optional<model::Error> error_;
  std::string value_;
  std::uint64_t line_ = 1;
  std::uint64_t value_line_ = 1;
  At at_ = At::Start;
  bool too_long_ = false;
  bool in_object_ = false;
  bool array_found_ = false;
  bool members_begun_ = false;
};

/// Visits the records of a JSON document. Otherwise as read_json_lines().
model::Result<model::Visit> read_json_document(ByteStream& stream, std::string_view file, const ports::Call& call,
                                               model::Visitor<ports::ContentRecord> visitor);

}  // namespace kbase::content
