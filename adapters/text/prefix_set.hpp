// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bitset>
#include <cstddef>
#include <string_view>

namespace kbase::text {

/// Set of the two-byte prefixes of the words to find, used to skip other words early. Treats i and y as equal; see
/// preserves_prefixes().
class PrefixSet {
 public:
  /// Returns the set of all prefixes.
  static const PrefixSet& all();

  /// Adds the prefix of `word`, a word or a stem, which must not be empty.
  void add(std::string_view word);

  /// Returns whether the set contains the prefix. `first` and `second` are the first two bytes of a word in lower case;
  /// `second` is '\0' if the word has one byte.
  bool has(char first, char second) const { return known_[index_of(first, second)]; }

  /// Returns whether the set has a prefix that begins with `first`.
  bool has_first(char first) const { return known_firsts_[static_cast<unsigned char>(first)]; }

 private:
  static std::size_t index_of(char first, char second) {
    return static_cast<std::size_t>(static_cast<unsigned char>(first)) << 8 | static_cast<unsigned char>(second);
  }

  std::bitset<65'536> known_;
  std::bitset<256> known_firsts_;
};

}  // namespace kbase::text
