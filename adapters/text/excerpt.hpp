// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "adapters/text/analyzer.hpp"
#include "adapters/text/query.hpp"
#include "domain/model/query.hpp"

namespace kbase::text {

/// Positions of the query's words in the title and the excerpt of a hit.
struct HitHighlights {
  std::vector<model::Highlight> title, excerpt;
};

/// A content, or a part of one that begins and ends between words.
struct ExcerptSource {
  std::string_view text;
  std::size_t begin = 0;    ///< byte offset in the content
  bool is_cut_off = false;  ///< the content goes on after the part

  /// The whole content.
  explicit ExcerptSource(std::string_view content) : text(content) {}
  /// Bytes of a content of `content_bytes` from the byte `from` on. Leaves out a word that is cut at the end, and one
  /// at the beginning if `begins_in_word`.
  ExcerptSource(std::string_view bytes, std::size_t from, bool begins_in_word, std::size_t content_bytes);
};

/// An excerpt, and where in the content it comes from.
struct Excerpt {
  std::string text;
  std::optional<std::size_t> match = {};  ///< byte offset of the first word of the best match; nullopt: no word occurs
};

/// Builds the excerpts and highlights of the hits of one search. Immutable after construction.
class ExcerptMaker {
 public:
  explicit ExcerptMaker(const Query& query);

  /// Returns the part of `source` that contains the most distinct words of the query (the earliest such part), as one
  /// line of plain text of at most model::kExcerptCodePoints, cut at word boundaries, with "…" where text was cut. A
  /// phrase counts as a further word where it is whole, and so do words that the query joins by a mark (`a.b`).
  /// Returns the beginning of the source, as model::excerpt_of(), if no word occurs. The result is valid UTF-8.
  /// `language` is the language of the item. `most_words` is an upper bound of the distinct query words that occur in
  /// the item; a known bound ends the scan earlier.
  Excerpt make(Analyzer& analyzer, const ExcerptSource& source, Language language,
               std::size_t most_words = std::numeric_limits<std::size_t>::max()) const;

  Excerpt make(Analyzer& analyzer, std::string_view content, Language language,
               std::size_t most_words = std::numeric_limits<std::size_t>::max()) const {
    return make(analyzer, ExcerptSource(content), language, most_words);
  }

  /// Returns the positions of the query's words in `text`, a title or an excerpt, in ascending order. Overlapping and
  /// adjacent words are merged.
  std::vector<model::Highlight> highlights(Analyzer& analyzer, std::string_view text, ItemLanguages languages) const;
  HitHighlights highlights(Analyzer& analyzer, std::string_view title, std::string_view excerpt,
                           Language language) const {
    return {highlights(analyzer, title, item_languages(language)), highlights(analyzer, excerpt, {language})};
  }

 private:
  struct Term {
    std::string text;
    std::size_t word;  ///< index of the query word that has this term
    bool is_first;     ///< whether it is the exact form of the query word
  };
  /// Terms of one kind, indexed by their first byte, so that most words of a text are rejected by one lookup.
  struct TermTable {
    std::array<std::vector<Term>, 256> by_first;
    bool prefixes = false;

    const Term* find(std::string_view text) const;
  };
  struct Match {
    std::size_t begin, end;                   ///< byte offsets in the content
    std::size_t column = 0, last_column = 0;  ///< offsets in code points, a run of white space as one
    std::size_t word;
  };

  class MatchCollector;

  void add(const QueryPhrase& phrase);
  void add_whole(const QueryPhrase& phrase);
  const Term* find_word(const QueryWord& word) const;
  const Term* find_term(const Token& token) const;
  std::vector<Match> find_matches(Analyzer& analyzer, std::string_view content, Language language,
                                  std::size_t most_words) const;

  PrefixSet prefix_set_;  // prefixes of all terms
  TermTable exact_;
  TermTable stems_;
  TermTable prefixes_;
  std::size_t words_ = 0;
  std::vector<std::vector<std::size_t>> phrases_;  // words of each phrase that counts as a further word
};

}  // namespace kbase::text
