// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "adapters/text/language.hpp"
#include "adapters/text/prefix_set.hpp"
#include "domain/base/function_ref.hpp"

namespace kbase::text {

/// Version of the text analysis, part of the settings of an index. Increases with every change of the analysis; an
/// index built with another version must be rebuilt.
inline constexpr std::uint32_t kAnalysisVersion = 7;

/// A word of a text, or a part of a word that also matches. Views are valid until the sink returns.
struct Token {
  // All but the first two are additional terms of the Word before them, at its position.
  enum class Role : std::uint8_t {
    Word,
    SingleCharacter,  ///< a word of a single character, in a language written without spaces
    Alternative,      ///< another form of the Word: `NET` of `.NET`, a Hebrew word without its prefix
    Joined,           ///< the last Words as one, if marks join them: `wifi` of `Wi-Fi`; [begin, end) is all of them
    Piece,            ///< one of the words that mean the same as the Word: `sha` and `512` of `sha512`
    Part,             ///< a part of the Word, by which texts are found: `user` of `getUserName`
  };

  std::string_view exact;          ///< case-folded and accent-folded form
  std::string_view stem;           ///< empty if equal to the exact form
  std::string_view stem_of_exact;  ///< empty if equal to the stem; see WordForms
  std::size_t begin = 0;           ///< byte offsets in the text
  std::size_t end = 0;
  std::uint32_t position = 0;  ///< index of the word in the text, from 0
  Role role = Role::Word;
  bool is_pair = false;            ///< one or two characters of a text without spaces, which overlap the token before
  WordNumbers* numbers = nullptr;  ///< see WordForms; null also if the word has no other forms than `exact`

  /// Whether the token is a word of the text, and not an additional term of one.
  bool is_word() const { return role == Role::Word || role == Role::SingleCharacter; }

  /// Whether the token counts less than a word.
  bool is_weak() const { return role == Role::Piece || role == Role::Part; }

  /// Stems that differ from the exact form; an entry may be empty.
  std::array<std::string_view, 2> stems() const {
    return {stem, stem_of_exact == exact ? std::string_view() : stem_of_exact};
  }
};

/// Tokenizer and stemmer for items and queries. Not thread-safe. Keeps a cache of about one megabyte, so reuse it.
///
/// A word is a run of letters, marks and digits as in UAX #29, with two differences: `_`, `.`, `'` and similar
/// characters separate words (`foo_bar`, `file.txt` and `l'avion` are two words each), and the English `'s` is dropped.
/// Words that one mark joins are also one word, up to 14 characters, or 10 with `_`: `Wi-Fi` is `wi`, `fi` and `wifi`.
/// Scripts without spaces are split into overlapping pairs of characters; the last character of a run is also emitted
/// alone, so that each character begins a token.
///
/// Some words are emitted whole, followed by their parts: `C++` and `C#` (part `C`), `.NET` (`NET`), options of command
/// lines (`-xzf` and `--xzf` are `-xzf` with `xzf`), versions and dotted numbers (`v1.2.3` with `1.2.3`, `1.2`, `1`,
/// `2` and `3`), and words of letters and digits (`sha512` with `sha` and `512`). A change of case splits a word that
/// begins in lower case or has three parts (`getUserName`, `XMLHttpRequest`), into single parts and, of three, two
/// together; `JavaScript` stays whole, so that `java` does not match it.
///
/// A word of more than 64 bytes is its beginning and a hash.
///
/// Accepts any bytes; invalid UTF-8 separates words.
class Analyzer {
 public:
  using Sink = FunctionRef<void(const Token&)>;

  /// Passes the words of `text` to `sink` in order, stemmed in `language`.
  void analyze(std::string_view text, Language language, Sink sink);

  /// Passes the words of a title to `sink` in order, stemmed in `languages.content`, and the other stems that they have
  /// in `languages.title` as a Part.
  void analyze_title(std::string_view text, ItemLanguages languages, Sink sink);

  using TokenVisitor = FunctionRef<Visit(const Token&)>;

  /// Like analyze(), but may skip words whose exact form and stem have no prefix in `wanted`, and stops when `visitor`
  /// returns Stop. A skipped word counts in the positions of those behind it. Takes about a quarter of the time of
  /// analyze().
  void find(std::string_view text, Language language, const PrefixSet& wanted, TokenVisitor visitor);

  /// Forgets the words of the cache, and the numbers kept with them.
  void clear() { lexicon_.clear(); }

 private:
  Lexicon lexicon_;
};

}  // namespace kbase::text
