// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "adapters/native_index/segments/scoring.hpp"
#include "adapters/text/query.hpp"
#include "adapters/text/ranking.hpp"
#include "domain/model/item.hpp"
#include "ports/driven/search_index.hpp"

namespace kbase::tests {

/// A simple specification of the native index: each search scans the words of all items. No files, no batches, no
/// clock. Not thread-safe.
class ReferenceIndex {
 public:
  using Corrections = std::vector<ports::Correction>;

  struct Hit {
    std::string id, title, category, excerpt;
    double relevance = 0;
    std::vector<model::Highlight> title_highlights, excerpt_highlights;
  };
  struct Answer {
    std::uint64_t total = 0;
    model::MatchRule rule = model::MatchRule::AllWords;
    ports::Facets facets;  ///< all facets, without a limit
    std::vector<Hit> hits;
  };

  /// Whether a query word matches a stem that has the same letters.
  enum class Stems {
    Marked,    ///< no: it matches only through its own stem, see text::kStemMark
    Unmarked,  ///< yes: `organis` finds `organise`, whose stem it is
  };

  /// `language`: the language of all words; nullopt: detected for each item.
  ReferenceIndex(std::optional<text::Language> language, Stems stems) : language_(language), stems_(stems) {}

  void put(const model::ItemView& item);
  void remove(std::string_view id);
  void clear();  ///< keeps counted views
  std::size_t documents() const { return documents_.size(); }

  /// Counted views of missing items are kept until the item is added.
  void set_views(std::string_view id, std::uint64_t views) { views_[std::string(id)] = views; }

  /// Searches as if the words in `corrections` were replaced by their corrections.
  Answer search(const ports::SearchRequest& request, const Corrections& corrections = {}) const;

  /// Returns true if the item passes the filter.
  static bool passes_filter(const ports::SearchFilter& filter, const model::ItemView& item);

  /// Returns the error in the corrections that an index with typo tolerance made; nullopt: none. The index may choose
  /// any of several nearest words.
  std::optional<std::string> defect_of(const Corrections& corrections, const ports::SearchRequest& request) const;

 private:
  struct Word {
    std::string exact;
    std::string stem;           // empty if equal to the exact form
    std::string stem_of_exact;  // empty if equal to the stem
    native_index::Field field;
    std::uint32_t text;  // 0: the title, then the tags, then the content
    std::uint32_t position;
    bool is_weak;  // a part of a word
    bool is_pair;  // two characters of a text without spaces

    /// The terms of all its forms.
    std::vector<std::string_view> names() const {
      std::vector<std::string_view> names{stem.empty() ? exact : stem};
      if (!stem_of_exact.empty()) names.push_back(stem_of_exact);
      return names;
    }
  };
  struct Document {
    model::Item item;
    text::Language language;
    float saturation = 0;
    float title_weight = 0;
    std::vector<Word> words = {};
    std::set<std::string> titles = {};  // words of the title and the aliases, see text::fold_title()
  };
  struct Match {
    const Document* document;
    float score;
    bool is_title = false;
  };
  struct WeightedWord {
    text::RankedWord ranked;
    double weight;
    bool has_forms;
  };
  struct NearWord {
    text::QueryWord word;
    std::uint32_t weight;
    bool is_essential;
  };

  /// All reference indexes of a thread share the analyzer and its cache of one megabyte.
  static text::Analyzer& analyzer();

  /// Returns the number of words; a pair of characters counts a quarter.
  float add_text(Document& document, std::uint32_t number, std::string_view text, native_index::Field field) const;
  bool is(const Word& word, const text::QueryWord& asked) const;
  bool has(const Document& document, const text::QueryPhrase& typed) const;
  bool has(const Document& document, const text::Clause& clause) const;
  bool matches(const Document& document, const text::Query& query, model::MatchRule rule) const;

  text::QueryPhrase in_all_languages(text::QueryPhrase phrase) const;
  text::Query analysed(const model::QueryNode& root) const;
  std::vector<text::QueryWord> words_of(const model::QueryNode& node) const;
  void adapt_substitutes(text::Query& query, const Corrections& corrections) const;
  void correct(text::Query& query, const Corrections& corrections) const;
  bool needs_correction(const text::QueryWord& word) const;
  std::optional<unsigned> nearest_mistakes(std::string_view word, bool also_gone = false) const;
  bool knows(const text::QueryWord& asked) const;
  std::vector<std::uint32_t> frequencies(const Document& document, const text::QueryWord& asked) const;
  static std::uint32_t exact_frequency(const Document& document, const text::QueryWord& asked);
  std::vector<text::Language> query_languages() const;
  static ports::Facets facets_of(const std::vector<Match>& matches);
  std::vector<Match> find(const text::Query& query, model::MatchRule rule) const;
  std::vector<WeightedWord> weighted_words(const text::Query& query) const;
  void score(std::vector<Match>& matches, const text::Query& query) const;
  void rerank_by_proximity(std::vector<Match>& sorted, const text::Query& query) const;
  static float boost_of(const Document& document, const std::vector<NearWord>& words);
  bool is_before(const Match& a, const Match& b, model::Sort sort) const;
  std::uint64_t views_of(const Document& document) const;

  std::optional<text::Language> language_;
  Stems stems_;
  std::map<std::string, Document, std::less<>> documents_;  // by id
  std::map<std::string, std::uint64_t, std::less<>> views_;
  std::set<std::string> gone_;  // words of items that were removed or replaced
};

}  // namespace kbase::tests
