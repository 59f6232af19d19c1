// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "adapters/text/analyzer.hpp"
#include "adapters/text/query.hpp"
#include "domain/model/query.hpp"

namespace kbase::text {

/// The words of the query in what is shown of a hit.
struct HitHighlights {
  std::vector<model::Highlight> title, excerpt;
};

/// Makes the excerpts of one search's hits. Made once for each search; one thread at a time.
class ExcerptMaker {
 public:
  explicit ExcerptMaker(const Query& query);

  /// The part of `content`, an item's text in `language`, that has most of the query's words (the earliest of such):
  /// one line of plain text of at most model::kExcerptCodePoints, cut at word borders, "…" where something was cut.
  /// model::excerpt_of(content) where no word occurs. Always valid UTF-8. Who knows that no more than so many words of
  /// the query occur in the item spares it the search for others.
  std::string make(Analyzer& analyzer, std::string_view content, Language language,
                   std::size_t most_words = std::numeric_limits<std::size_t>::max()) const;

  /// The words of `text`, a title or an excerpt, that are the query's: in their order, and those that lie in or touch
  /// each other as one.
  std::vector<model::Highlight> highlights(Analyzer& analyzer, std::string_view text, Language language) const;
  HitHighlights highlights(Analyzer& analyzer, std::string_view title, std::string_view excerpt,
                           Language language) const {
    return {highlights(analyzer, title, language), highlights(analyzer, excerpt, language)};
  }

 private:
  struct Term {
    std::string text;
    std::size_t word;  ///< the number of the query word it is a term of
    bool is_first;     ///< the word as it was typed
  };
  /// The terms of one kind, parted by their first byte so that most words of a text are settled by one look.
  struct TermTable {
    std::array<std::vector<Term>, 256> by_first;
    bool prefixes = false;

    const Term* find(std::string_view text) const;
  };
  struct Match {
    std::size_t begin, end;                   ///< bytes of the content
    std::size_t column = 0, last_column = 0;  ///< code points before them once white space is run together
    std::size_t word;
  };

  class Finding;

  void add(const QueryPhrase& phrase);
  bool has(const QueryWord& word) const;
  const Term* term_of(const Token& token) const;
  std::vector<Match> matches_in(Analyzer& analyzer, std::string_view content, Language language,
                                std::size_t most_words) const;

  Beginnings beginnings_;  // of all terms
  TermTable exact_;
  TermTable stems_;
  TermTable prefixes_;
  std::size_t words_ = 0;
};

}  // namespace kbase::text
