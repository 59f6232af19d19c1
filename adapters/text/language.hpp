// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

struct sb_stemmer;
namespace kbase::text {

/// A language with a stemmer, or None: words of all other languages are not stemmed.
enum class Language : std::uint8_t { None = 0 };

inline constexpr std::size_t kLanguages = 29;  ///< None and the 28 languages of Snowball

/// Returns the language of an ISO 639-1 code ("en") or "none"; nullopt if there is no stemmer for it.
std::optional<Language> find_language(std::string_view code);

/// Returns the ISO 639-1 code, or "none". The text has static lifetime.
std::string_view name_of(Language language);

/// Returns whether the stemmer preserves prefixes: a word of ASCII letters and its stem share their first two bytes (i
/// and y count as equal), or the stem is the first byte of the word. Some stemmers remove prefixes, mutations or double
/// letters.
bool preserves_prefixes(Language language);

/// Returns the language whose stemmer is used for an item, detected by CLD2 from the first 256 bytes of the content, or
/// from the first 512 of title and content together if it is not sure of the content. If CLD2 is not sure of both
/// (short texts, lists of names, program code), ASCII text counts as English, whose stemmer does the least harm to such
/// words, and other text is not stemmed. Accepts any bytes. Thread-safe.
Language detect_language(std::string_view title, std::string_view content);

/// Languages in which an item is stemmed.
struct ItemLanguages {
  Language content = Language::None;
  Language title = Language::None;  ///< of titles, in addition; None: no other than that of the content
};

/// Returns the languages of an item with content in `content`. The title is also stemmed as English, since one or two
/// words are too few to detect that it is in another language than the content.
ItemLanguages item_languages(Language content);

/// Maximum length of an indexed word in bytes; longer words (encoded data) are truncated.
inline constexpr std::size_t kMaxWordBytes = 64;

/// Numbers that the user of a lexicon keeps with a word, kNoNumber until it sets them.
using WordNumbers = std::array<std::uint32_t, 3>;
inline constexpr std::uint32_t kNoNumber = ~std::uint32_t{0};

/// Forms by which a word is compared. Views are valid until the next call.
struct WordForms {
  std::string_view exact;  ///< case-folded and accent-folded form
  std::string_view stem;   ///< folded stem; empty if equal to the exact form
  /// Stem of the accent-folded form, which can differ because stemmers depend on accents. It matches queries typed
  /// without accents. Empty if equal to `stem`.
  std::string_view stem_of_exact;
  /// Numbers of the word in its language, as set before; null: the lexicon does not keep this word.
  WordNumbers* numbers = nullptr;
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

  /// Returns the exact form of such a word.
  std::string_view exact_form(std::string_view word);

  /// Forgets all words, and the numbers kept with them.
  void clear();

 private:
  // One cache line: numbers of the user, the word, its exact form if it differs, its stems.
  struct alignas(64) Entry {
    WordNumbers numbers;
    Language language = Language::None;
    std::uint8_t word = 0;
    std::uint8_t exact = 0;
    std::uint8_t stem = 0;
    std::uint8_t stem_of_exact = 0;
    std::array<char, 47> text;

    WordForms forms();
  };

  struct StemmerDeleter {
    void operator()(sb_stemmer* stemmer) const;
  };

  /// Computes the forms into exact_, stem_ and stem_of_exact_.
  void compute_forms(std::string_view word, Language language);
  std::string stem_word(const std::string& word, Language language);

  std::vector<Entry> entries_;
  std::array<std::unique_ptr<sb_stemmer, StemmerDeleter>, kLanguages> stemmers_;
  std::string exact_;
  std::string stem_;
  std::string stem_of_exact_;
};

}  // namespace kbase::text
