// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kbase::native_index {

/// Numbers texts (terms, ids) in the order of their first coming, from 0. One thread.
class TextTable {
 public:
  TextTable();

  std::uint32_t number_of(std::string_view text);

  /// Of a text that came already; else none.
  std::optional<std::uint32_t> find(std::string_view text) const;

  std::string_view text(std::uint32_t number) const {
    return {texts_.data() + begins_[number], begins_[number + 1] - begins_[number]};
  }
  std::size_t bytes() const { return texts_.size(); }  ///< of all texts
  std::uint32_t size() const { return static_cast<std::uint32_t>(begins_.size() - 1); }

  /// All numbers in the order of their texts' bytes.
  std::vector<std::uint32_t> sorted() const;

  void clear();

 private:
  struct Slot {
    std::uint32_t hash = 0;
    std::uint32_t number = kFree;
  };
  static constexpr std::uint32_t kFree = ~std::uint32_t{0};

  /// Of the slot that has the text, or the free one where it belongs.
  std::size_t place_of(std::string_view text, std::uint32_t hash) const;
  void grow();

  std::vector<Slot> slots_;  // a power of two of them, at most half of them taken
  std::string texts_;
  std::vector<std::size_t> begins_;
};

}  // namespace kbase::native_index
