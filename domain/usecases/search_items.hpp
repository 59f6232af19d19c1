// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "domain/model/query.hpp"
#include "ports/driven/item_store.hpp"
#include "ports/driven/search_index.hpp"
#include "ports/driving/search.hpp"

namespace kbase::usecases {

/// Full-text search. Checks limits, parses the query and computes pages; the index does the rest.
class SearchItems final : public ports::Search {
 public:
  /// Both must outlive the object. The store completes the hits of an index without rows.
  SearchItems(ports::SearchIndex& index, ports::ItemStore& items) : index_(index), items_(items) {}

  Result<ports::Validator> validator(ports::Call& call, model::Sort sort) override;
  Result<ports::SearchPage> search(ports::Call& call, const ports::SearchQuery& query,
                                   Visitor<ports::SearchHit> visitor) override;
  Status suggest(ports::Call& call, std::string_view q, std::uint64_t limit,
                 Visitor<ports::Suggestion> visitor) override;

 private:
  Result<ports::SearchResult> search_hits(ports::Call& call, const ports::SearchRequest& request,
                                          Visitor<ports::SearchHit> visitor);
  /// `has_more`: there are titles after the page.
  Result<ports::SearchResult> search_titles(ports::Call& call, const ports::SearchRequest& request,
                                            Visitor<ports::SearchHit> visitor, bool& has_more);

  ports::SearchIndex& index_;
  ports::ItemStore& items_;
};

/// Returns the query with the corrections applied. Empty: there are no corrections, or a corrected word does not occur
/// in the text. The index returns words in compared form; ASCII case differences are tolerated, missing accents are
/// not.
std::string corrected_query(std::string_view q, std::span<const ports::Correction> corrections);

/// Suggests completions of a partially typed query, see Search::suggest. Serves one request.
class SuggestQueries {
 public:
  /// The index must outlive the object.
  explicit SuggestQueries(ports::SearchIndex& index) : index_(index), completes_(index.capabilities().completions) {}

  Status suggest(ports::Call& call, std::string_view q, std::size_t limit, Visitor<ports::Suggestion> visitor);

 private:
  using Kind = model::QueryNode::Kind;
  struct Title {
    std::string text, item;
  };

  void extract_last_word(std::string_view q);
  Status complete(ports::Call& call);
  Status complete_suffix(ports::Call& call, std::size_t prefix_bytes);
  Status filter_completions(ports::Call& call);
  Status find_titles(ports::Call& call, std::size_t limit);
  std::vector<model::QueryNode> last_words() const;
  model::QueryNode typed_query() const;
  bool is_new(const Title& title) const;

  ports::SearchIndex& index_;
  bool completes_;
  std::string_view before_;         // the part of `q` before the last word
  std::string_view last_;           // the last word as typed; empty: no word is being typed
  model::QueryNode query_;          // the query without the last word
  Kind parent_ = Kind::AllOf;       // parent of the last word: AllOf, AnyOf or Not
  std::vector<std::string> words_;  // completions of the last word, the most likely first
  std::vector<Title> titles_;
};

}  // namespace kbase::usecases
