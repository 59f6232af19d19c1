// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kbase::native_index {

/// Numbers distinct texts (terms, ids) in order of first occurrence, from 0. Not thread-safe.
class TextTable {
 public:
  TextTable();

  /// Returns the number of the text; adds the text if it is new.
  std::uint32_t add(std::string_view text);

  /// Returns the text's number, or nullopt if it was not added.
  std::optional<std::uint32_t> find(std::string_view text) const;

  std::string_view text(std::uint32_t number) const {
    return {texts_.data() + starts_[number], starts_[number + 1] - starts_[number]};
  }
  std::size_t bytes() const { return texts_.size(); }  ///< total bytes of all texts
  std::uint32_t size() const { return static_cast<std::uint32_t>(starts_.size() - 1); }

  /// Returns all numbers, sorted by the bytes of their texts.
  std::vector<std::uint32_t> sorted() const;

  void clear();

 private:
  struct Slot {
    std::uint32_t hash = 0;
    std::uint32_t number = kFree;
  };
  static constexpr std::uint32_t kFree = ~std::uint32_t{0};

  /// Returns the index of the slot with the text, or of the free slot where it belongs.
  std::size_t find_slot(std::string_view text, std::uint32_t hash) const;
  void grow();

  std::vector<Slot> slots_;  // size is a power of two, at most half of it used
  std::string texts_;
  std::vector<std::size_t> starts_;
};

}  // namespace kbase::native_index
