// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace kbase::http {

/// Appends JSON (RFC 8259) to a text, member by member; sets the commas itself. The caller nests properly. One thread.
class JsonWriter {
 public:
  /// `out` outlives the writer.
  explicit JsonWriter(std::string& out) : out_(out) {}

  JsonWriter& begin_object() { return begin('{'); }
  JsonWriter& end_object() { return end('}'); }
  JsonWriter& begin_array() { return begin('['); }
  JsonWriter& end_array() { return end(']'); }

  /// The name of the member whose value comes next; a literal that needs no escapes, or any UTF-8.
  JsonWriter& key(std::string_view name);

  /// What is not valid UTF-8 becomes U+FFFD, so the document stays one whatever the text is.
  JsonWriter& text(std::string_view value);
  JsonWriter& number(std::uint64_t value);
  /// The shortest digits that read back to the same number, with a fraction; what is not finite is 0.0.
  JsonWriter& fraction(double value);
  JsonWriter& boolean(bool value);
  JsonWriter& null();

  /// Members of the current object that are JSON already, without braces; none where empty.
  JsonWriter& members(std::string_view json);

 private:
  JsonWriter& begin(char bracket);
  JsonWriter& end(char bracket);
  void separate();
  void escape(std::string_view value);

  std::string& out_;
  bool needs_comma_ = false;
};

}  // namespace kbase::http
