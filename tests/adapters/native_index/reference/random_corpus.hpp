// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "domain/model/item.hpp"
#include "domain/model/query.hpp"
#include "tests/adapters/native_index/reference/chance.hpp"

namespace kbase::tests {

struct SampleItem {
  std::string id, title, content, category;
  std::vector<std::string> tags;
  int updated = 0;  ///< days since 1970
  std::uint64_t views = 0;
  std::string language, version;

  model::Item item() const;
};

struct SampleSearch {
  std::string q;                      ///< empty: all items
  std::vector<std::string> synonyms;  ///< of the first Word below the root
  std::optional<std::string> category;
  std::optional<std::string> tag;
  std::optional<std::string> language, version;
  std::optional<int> updated_from, updated_to;  ///< days since 1970
  model::Sort sort = model::Sort::Relevance;
  std::uint64_t offset = 0;
  std::uint64_t limit = 100;
  model::FallbackBelow fallback_below = model::kDefaultFallbackBelow;
};

/// Generates items and searches with few different words, days, categories and ids, so that they often match, tie and
/// replace each other. Scripts, languages and text lengths differ between corpora.
class RandomCorpus {
 public:
  /// `ids`: number of different ids. `chance` must outlive the corpus.
  RandomCorpus(Chance& chance, std::uint64_t ids);

  SampleItem item();
  SampleSearch search();
  std::string id();

 private:
  using Words = std::vector<std::string_view>;

  /// A language or a kind of text.
  struct TextKind {
    Words words;
    std::string_view sentence;  ///< long enough for language detection; empty: no sentence
    std::string_view space = " ";
  };

  static const std::vector<TextKind>& text_kinds();

  std::string text(const TextKind& writing, std::uint64_t most_words);
  std::string word();
  std::string changed(std::string word);
  std::string phrase();
  std::string operand();
  std::string query();
  std::string fragment();
  SampleItem new_item();
  void keep_sample(const SampleItem& item);

  Chance& chance_;
  std::uint64_t ids_;
  std::vector<const TextKind*> chosen_;
  std::uint64_t most_words_;
  std::vector<SampleItem> seen_;  // some items, to be repeated and to take phrases from
};

}  // namespace kbase::tests
