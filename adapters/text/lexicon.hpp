// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "adapters/text/language.hpp"

struct sb_stemmer;

namespace kbase::text {

/// Maximum length of an indexed word in bytes; longer words (encoded data) are truncated.
inline constexpr std::size_t kMaxWordBytes = 64;

/// Forms by which a word is compared. Views are valid until the next call.
struct WordForms {
  std::string_view exact;  ///< case-folded and accent-folded form
  std::string_view stem;   ///< folded stem; empty if equal to the exact form
  /// Stem of the accent-folded form, which can differ because stemmers depend on accents. It matches queries typed
  /// without accents. Empty if equal to `stem`.
  std::string_view stem_of_exact;
};

/// Folds and stems words, with a cache of recent words: texts repeat their words, and a lookup costs a tenth of
/// stemming. Not thread-safe. Uses about one megabyte.
class Lexicon {
 public:
  Lexicon();
  Lexicon(const Lexicon&) = delete;
  Lexicon& operator=(const Lexicon&) = delete;

  /// Returns the forms of `word`, which must be valid UTF-8, not empty and at most kMaxWordBytes long, with ASCII
  /// letters in lower case.
  WordForms forms(std::string_view word, Language language);

 private:
  // One cache line: the word, its exact form if it differs, its stems.
  struct alignas(64) Entry {
    Language language = Language::None;
    std::uint8_t word = 0;
    std::uint8_t exact = 0;
    std::uint8_t stem = 0;
    std::uint8_t stem_of_exact = 0;
    std::array<char, 59> text;

    WordForms forms() const;
  };

  struct StemmerDeleter {
    void operator()(sb_stemmer* stemmer) const;
  };

  /// Computes the forms into exact_, stem_ and stem_of_exact_.
  void work_out(std::string_view word, Language language);
  std::string stemmed(const std::string& word, Language language);

  std::vector<Entry> entries_;
  std::array<std::unique_ptr<sb_stemmer, StemmerDeleter>, kLanguages> stemmers_;
  std::string exact_;
  std::string stem_;
  std::string stem_of_exact_;
};

}  // namespace kbase::text
