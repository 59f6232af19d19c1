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

/// Iterates over the elements of the only array of a JSON document: the array at its top, or the only member of its
/// top-level object that is an array. Parses an element only as far as needed to find its end, so that a bad element
/// does not affect the others. Holds at most one element in memory. Not thread-safe.
class ElementReader {
 public:
  /// `stream` must outlive the reader. Errors name `file`.
  ElementReader(ByteStream& stream, std::string_view file) : stream_(stream), file_(file) {}

  /// Moves to the next element; false at the end of the document. InvalidArgument: outside its elements the document is
  /// not JSON, or it has no array or two arrays.
  model::Result<bool> next();

  /// Valid until the next call of next(). Empty if the element is too long.
  std::string_view element() const { return value_; }
  bool too_long() const { return too_long_; }

  /// The line on which the element starts.
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

/// Visits the records of a JSON document. A record without `type` is an item. Otherwise works like read_json_lines().
model::Result<model::Visit> read_json_document(ByteStream& stream, std::string_view file, const ports::Call& call,
                                               model::Visitor<ports::ContentRecord> visitor);

}  // namespace kbase::content
