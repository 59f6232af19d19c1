// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "adapters/native_index/dictionary/dictionary.hpp"
#include "domain/base/function_ref.hpp"

namespace kbase::native_index {

/// Finds the long words of a dictionary by a part of them, for compounds. Holds these words and four bytes for each of
/// their letters. Immutable, thread-safe.
class WordPartsIndex {
 public:
  explicit WordPartsIndex(const Dictionary& dictionary);

  /// Visits the words that contain `part`, which has at least kGram bytes; a word as often as it contains it. The words
  /// are views of the index.
  void visit(std::string_view part, FunctionRef<void(std::string_view word)> sink) const;

  static constexpr std::size_t kGram = 4;          ///< bytes by which words are looked up
  static constexpr std::size_t kShortestWord = 7;  ///< bytes; shorter words are left out

 private:
  static std::size_t bucket_of(const char* gram);
  void add_words(const Dictionary& dictionary);
  std::string_view word_at(std::size_t place) const;

  std::string words_;                  // each between line feeds
  std::vector<std::uint32_t> places_;  // of all grams in words_, grouped by bucket
  std::vector<std::uint32_t> ends_;    // of the buckets in places_
};

}  // namespace kbase::native_index
