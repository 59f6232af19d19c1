// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "domain/model/item.hpp"

namespace kbase::content {

/// Writes the further members of an item's metadata down as they are read: compact JSON text without the outer braces,
/// in the order of the source. Stops writing at the limit of docs/content/validation.md.
class ExtraMembers {
 public:
  ExtraMembers() { clear(); }

  /// Begins a new record, keeping the memory of the last.
  void clear();

  void key(std::string_view name);
  void string(std::string_view text);
  /// A number, true, false or null as JSON spells it.
  void literal(std::string_view text);
  void open(char bracket);
  void close(char bracket);

  /// Valid until the next record.
  std::string_view text() const { return text_; }

  bool too_long() const { return text_.size() > model::kMaxExtraBytes; }
  /// A key that one object, at any depth, has twice.
  const std::optional<std::string>& repeated_key() const { return repeated_key_; }
  /// Whether that is an object within the metadata, whose keys may be called as those of the record are.
  bool repeats_within() const { return repeats_within_; }

 private:
  /// Whether there is room for a value, which a comma is put before where one belongs.
  bool begin_value();

  std::string text_;
  std::vector<std::unordered_set<std::string>> keys_;  // of the objects that are open, the metadata first
  std::optional<std::string> repeated_key_;
  bool repeats_within_ = false;
  bool comma_next_ = false;
};

}  // namespace kbase::content
