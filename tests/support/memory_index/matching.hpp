// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "adapters/text/analyzer.hpp"
#include "adapters/text/compounds.hpp"
#include "adapters/text/query.hpp"
#include "domain/base/function_ref.hpp"
#include "domain/model/item.hpp"
#include "domain/model/query.hpp"

namespace kbase::memory_index {

/// An item with the positions of its terms. Immutable, so any thread may read it.
class Document {
 public:
  Document(const model::ItemView& item, text::Analyzer& analyzer);

  const model::ItemView& item() const { return item_.view(); }
  text::Language language() const { return language_; }
  double length() const { return length_; }  ///< number of words, weighted by field as in frequency()

  /// Returns the frequency of the phrase, weighted by field: an occurrence in the title counts 2.5, in a tag 1.5, in
  /// the content 1.
  double frequency(const text::QueryPhrase& phrase) const;

  /// Visits the words that contain `part`, in their exact form.
  void visit_words_with(std::string_view part, text::Vocabulary::Sink sink) const;

  /// Whether it has the word, or one with this stem.
  bool has_word(std::string_view word) const;

  /// Whether the words of the title or an alias are `words`, see text::fold_title(). False if `words` is empty.
  bool has_title(std::string_view words) const;

  /// Visits each distinct term of the item that begins with `beginning`, in its exact form. The views are valid for the
  /// lifetime of the document.
  void visit_words(std::string_view beginning, FunctionRef<void(std::string_view)> visitor) const;

 private:
  struct Position {
    std::uint32_t text;  ///< number of the section, title, alias or tag
    std::uint32_t position;
    auto operator<=>(const Position&) const = default;
  };

  void add_text(text::Analyzer& analyzer, std::string_view text, text::ItemLanguages languages, double weight);
  std::vector<Position> find_positions(const text::QueryWord& word) const;

  model::Item item_;
  text::Language language_;
  std::map<std::string, std::vector<Position>, std::less<>> positions_;  // by term
  std::vector<double> weights_;                                          // of the texts, by their numbers
  double length_ = 0;
  std::vector<std::string> titles_;  // the words of the title and of each alias
};

using Documents = std::map<std::string, std::shared_ptr<const Document>, std::less<>>;  // by id

struct Match {
  const Document* document = nullptr;
  double score = 0;
};

struct Matches {
  std::vector<Match> all;  ///< ordered by id
  model::MatchRule rule = model::MatchRule::AllWords;
};

/// Removes the substitutes of the query's words that no document has.
void adapt_substitutes(text::Query& query, text::Analyzer& analyzer, std::span<const text::Language> languages,
                     const Documents& documents);

/// Returns the documents that match by the rule of the SearchIndex port, scored with BM25 (k1 = 1.2, b = 0.75).
Matches match(const Documents& documents, const text::Query& query, model::FallbackBelow least_matches);

}  // namespace kbase::memory_index
