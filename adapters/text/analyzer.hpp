// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <bitset>
#include <cstdint>
#include <string_view>

#include "adapters/text/language.hpp"
#include "adapters/text/lexicon.hpp"
#include "domain/model/function_ref.hpp"

namespace kbase::text {

/// Part of an index's settings: an index built with another number has to be built anew. Grows with every change of
/// what analysis makes of a text.
inline constexpr std::uint32_t kAnalysisVersion = 2;

/// A word of a text, or a part under which it can be found too. Views are loans until the sink returns.
struct Token {
  enum class Role : std::uint8_t {
    Word,
    Lone,  ///< a word that is a single character of a language written without spaces
    Part,  ///< a further name of the Word before it, at the same position; no word of a query
  };

  std::string_view exact;          ///< case and accents folded
  std::string_view stem;           ///< empty where it is the exact form
  std::string_view stem_of_exact;  ///< empty where it is the stem, see WordForms
  std::size_t begin = 0;           ///< byte offsets in the text
  std::size_t end = 0;
  std::uint32_t position = 0;  ///< counts the words of the text from 0
  Role role = Role::Word;

  /// Its stems that are not the exact form; what is empty is none.
  std::array<std::string_view, 2> stems() const {
    return {stem, stem_of_exact == exact ? std::string_view() : stem_of_exact};
  }
};

/// How the words begin that somebody looks for. i and y are one, see keeps_beginnings().
class Beginnings {
 public:
  /// Of this word, which is not empty, or of its stem.
  void add(std::string_view word);

  /// Of all words.
  void add_all() { known_.set(); }

  /// Of a word in lower case, of its first two bytes; '\0': it has one.
  bool has(char first, char second) const { return known_[place(first, second)]; }

 private:
  static std::size_t place(char first, char second) {
    return static_cast<std::size_t>(static_cast<unsigned char>(first)) << 8 | static_cast<unsigned char>(second);
  }

  std::bitset<65'536> known_;
};

/// Cuts texts into words, the same way for items and queries.
///
/// A word is a run of letters, marks and digits: what UAX #29 calls one, only that `_`, `.`, `'` and the like part
/// words (`foo_bar`, `file.txt` and `l'avion` are two) and the English `'s` is dropped. Scripts without spaces are cut
/// into overlapping pairs of characters; the last of a run is also there alone, so that each character begins a token.
/// Whole words too, with their parts: `C++`, `C#`, `.NET` (with `C`, `NET`), versions and numbers with points
/// (`1.2.3` with `1.2`, `1`, `2`, `3`). Case inside a word is no border: `fooBar` is `foobar`, or `java` would find
/// every `JavaScript`.
///
/// Takes any bytes: what is no UTF-8 stands between words. One thread at a time; cheap to keep, about a megabyte.
class Analyzer {
 public:
  using Sink = model::FunctionRef<void(const Token&)>;

  /// Gives the words of `text` to `sink` in their order, stemmed in `language`.
  void analyze(std::string_view text, Language language, Sink sink);

  using Finder = model::FunctionRef<model::Visit(const Token&)>;

  /// As analyze(), but may leave out words whose exact form and stem begin like none of `wanted`, which costs a
  /// quarter, and ends where the finder says so.
  void find(std::string_view text, Language language, const Beginnings& wanted, Finder finder);

 private:
  Lexicon lexicon_;
};

}  // namespace kbase::text
