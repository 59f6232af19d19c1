// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "domain/model/item.hpp"

/// Rules of JSON text (RFC 8259) that the readers and the writer share.
namespace kbase::content {

inline constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

/// Whether `text` is a number in the grammar of section 6.
bool is_json_number(std::string_view text);

/// Whether `c` is white space in the grammar of section 2: space, tab, line feed, carriage return.
constexpr bool is_json_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

/// Collects the extra metadata of an item while it is parsed: compact JSON text without the outer braces, in the order
/// of the source. Stops when the text is longer than the limit in docs/content/validation.md.
class ExtraMembers {
 public:
  ExtraMembers() { clear(); }

  /// Starts a new record. Keeps the allocated memory.
  void clear();

  void key(std::string_view name);
  void string(std::string_view text);
  /// Appends a number, true, false or null, spelled as in JSON.
  void literal(std::string_view text);
  void open(char bracket);
  void close(char bracket);

  /// Valid until the next record.
  std::string_view text() const { return text_; }

  bool too_long() const { return text_.size() > model::kMaxExtraBytes; }
  /// A key that occurs twice in one object, at any depth.
  const std::optional<std::string>& repeated_key() const { return repeated_key_; }
  /// Whether the repeated key is in a nested object. There, a key may have the name of a record member.
  bool repeats_within() const { return repeats_within_; }

 private:
  /// Returns false if the limit is exceeded. Otherwise appends the comma that the next value needs, if any.
  bool begin_value();

  std::string text_;
  std::vector<std::unordered_set<std::string>> keys_;  // keys of the open objects, the metadata object first
  std::optional<std::string> repeated_key_;
  bool repeats_within_ = false;
  bool comma_next_ = false;
};

}  // namespace kbase::content
