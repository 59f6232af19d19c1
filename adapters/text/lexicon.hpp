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

/// The longest word that is looked at, in bytes; what is longer (encoded data) counts as its beginning.
inline constexpr std::size_t kMaxWordBytes = 64;

/// What a word is compared by. Views are loans until the next call.
struct WordForms {
  std::string_view exact;  ///< case and accents folded
  std::string_view stem;   ///< the stem of its language, folded likewise; empty where it is the exact form
  /// Stemmers know accents: this is the stem of the exact form, which is what a word without its accents is asked for
  /// by; empty where it is the stem.
  std::string_view stem_of_exact;
};

/// Folds and stems words, and remembers the last ones: texts repeat their words, and a look-up costs a tenth of a stem.
/// One thread at a time. About a megabyte.
class Lexicon {
 public:
  Lexicon();
  Lexicon(const Lexicon&) = delete;
  Lexicon& operator=(const Lexicon&) = delete;

  /// Of valid UTF-8 of at most kMaxWordBytes, not empty. ASCII has to be in lower case already.
  WordForms forms(std::string_view word, Language language);

 private:
  // One cache line: the word, its exact form unless it is the word itself, its stems.
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

  /// The forms in exact_, stem_ and stem_of_exact_.
  void work_out(std::string_view word, Language language);
  std::string stemmed(const std::string& word, Language language);

  std::vector<Entry> entries_;
  std::array<std::unique_ptr<sb_stemmer, StemmerDeleter>, kLanguages> stemmers_;
  std::string exact_;
  std::string stem_;
  std::string stem_of_exact_;
};

}  // namespace kbase::text
