// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace kbase::http {

/// JSON writer (RFC 8259) that appends to a text and inserts the commas. The caller must nest the calls correctly. Not
/// thread-safe.
class JsonWriter {
 public:
  /// `out` must outlive the writer.
  explicit JsonWriter(std::string& out) : out_(out) {}

  JsonWriter& begin_object() { return begin('{'); }
  JsonWriter& end_object() { return end('}'); }
  JsonWriter& begin_array() { return begin('['); }
  JsonWriter& end_array() { return end(']'); }

  /// Writes the name of the next member. Accepts any UTF-8 and escapes it if necessary.
  JsonWriter& key(std::string_view name);

  /// Writes a string. Invalid UTF-8 becomes U+FFFD, so that the document stays valid.
  JsonWriter& text(std::string_view value);
  JsonWriter& number(std::uint64_t value);
  /// Writes the shortest digits that read back to the same number, with a fraction or an exponent. A value that is not
  /// finite becomes 0.0.
  JsonWriter& fraction(double value);
  JsonWriter& boolean(bool value);
  JsonWriter& null();

  /// Adds members to the current object that are JSON already, without braces. Adds nothing if `json` is empty.
  JsonWriter& members(std::string_view json);

 private:
  JsonWriter& begin(char bracket);
  JsonWriter& end(char bracket);
  void separate();

  std::string& out_;
  bool needs_comma_ = false;
};

}  // namespace kbase::http
