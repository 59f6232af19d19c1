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
#include "domain/model/item.hpp"
#include "ports/driven/search_index.hpp"

namespace kbase::tests {

/// What the native index has to answer, written down as plainly as possible: lists of words that each search goes
/// through from end to end. No files, no batches, no time. One thread.
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
    ports::Facets facets;  ///< all there are
    std::vector<Hit> hits;
  };

  /// What a stem is to a query that has the same letters.
  enum class Stems {
    AreApart,  ///< nothing: it is found as a stem alone, see text::kStemMark
    AreWords,  ///< a word: `organis` finds `organise`, whose stem it is
  };

  /// All words are stemmed in `language`; nullopt: each item's in the one that is detected.
  ReferenceIndex(std::optional<text::Language> language, Stems stems) : language_(language), stems_(stems) {}

  void put(const model::ItemView& item);
  void remove(std::string_view id);
  void clear();  ///< counted views stay
  std::size_t documents() const { return documents_.size(); }

  /// Counted views of items that are not there wait for them.
  void set_views(std::string_view id, std::uint64_t views) { views_[std::string(id)] = views; }

  /// What the index under test measures lengths by, see native_index::ImpactScale.
  void set_pivot(float pivot) { scale_ = native_index::ImpactScale(pivot); }

  /// As if the words of `corrections` were what they were corrected to.
  Answer search(const ports::SearchRequest& request, const Corrections& corrections = {}) const;

  /// Whether the filter lets the item through.
  static bool lets_through(const ports::SearchFilter& filter, const model::ItemView& item);

  /// What is wrong with the corrections that an index with typo tolerance made; nullopt: nothing. Which of several
  /// nearest words it takes is its own business.
  std::optional<std::string> defect_of(const Corrections& corrections, const ports::SearchRequest& request) const;

 private:
  struct Word {
    std::string exact;
    std::string stem;           // empty where it is the exact form
    std::string stem_of_exact;  // empty where it is the stem
    native_index::Field field;
    std::uint32_t text;  // 0 the title, then the tags, then the content
    std::uint32_t position;

    /// The terms of any form of it.
    std::vector<std::string_view> names() const {
      std::vector<std::string_view> names{stem.empty() ? exact : stem};
      if (!stem_of_exact.empty()) names.push_back(stem_of_exact);
      return names;
    }
  };
  struct Document {
    model::Item item;
    text::Language language;
    std::uint32_t length = 0;
    std::vector<Word> words = {};
  };
  struct Match {
    const Document* document;
    float score;
  };
  struct NearWord {
    text::QueryWord word;
    std::uint32_t weight;
  };

  static void add_text(Document& document, std::uint32_t number, std::string_view text, native_index::Field field);
  bool is(const Word& word, const text::QueryWord& asked) const;
  bool has(const Document& document, const text::QueryPhrase& typed) const;
  bool has(const Document& document, const text::Clause& clause) const;
  bool matches(const Document& document, const text::Query& query, model::MatchRule rule) const;

  text::QueryPhrase in_all_languages(text::QueryPhrase phrase) const;
  text::Query analysed(const model::QueryNode& root) const;
  std::vector<text::QueryWord> words_of(const model::QueryNode& node) const;
  void correct(text::Query& query, const Corrections& corrections) const;
  bool is_to_be_corrected(const text::QueryWord& word) const;
  std::optional<unsigned> nearest_mistakes(std::string_view word, bool also_gone = false) const;
  bool knows(const text::QueryWord& asked) const;
  std::vector<std::uint32_t> frequencies(const Document& document, const text::QueryWord& asked) const;
  static std::uint32_t exact_frequency(const Document& document, const text::QueryWord& asked);
  std::vector<text::Language> query_languages() const;
  static ports::Facets facets_of(const std::vector<Match>& matches);
  std::vector<Match> find(const text::Query& query, model::MatchRule rule) const;
  double weight_of(const text::QueryWord& word, bool& has_forms) const;
  void score(std::vector<Match>& matches, const text::Query& query) const;
  void rerank_by_proximity(std::vector<Match>& sorted, const text::Query& query) const;
  static std::uint64_t heaviest_window(const Document& document, const std::vector<NearWord>& words);
  bool is_before(const Match& a, const Match& b, model::Sort sort) const;
  std::uint64_t views_of(const Document& document) const;

  std::optional<text::Language> language_;
  Stems stems_;
  native_index::ImpactScale scale_{1};
  std::map<std::string, Document, std::less<>> documents_;  // by id
  std::map<std::string, std::uint64_t, std::less<>> views_;
  std::set<std::string> gone_;  // words of items that were removed or replaced
};

}  // namespace kbase::tests
