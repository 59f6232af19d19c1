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
#include "ports/driven/synonym_source.hpp"
#include "ports/driving/search.hpp"

namespace kbase::usecases {

/// Full-text search. Reads the query as people mean it, checks limits and computes pages; the index does the rest.
class SearchItems final : public ports::Search {
 public:
  /// All must outlive the object. The store completes the hits of an index without rows.
  SearchItems(ports::SearchIndex& index, ports::ItemStore& items, const ports::SynonymSource& synonyms)
      : index_(index), items_(items), synonyms_(synonyms) {}

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
  const ports::SynonymSource& synonyms_;
};

/// Returns the query with the corrections applied. Empty: there are no corrections, or a corrected word does not occur
/// in the text. The index returns words in compared form; ASCII case differences are tolerated, missing accents are
/// not.
std::string corrected_query(std::string_view q, std::span<const ports::Correction> corrections);

}  // namespace kbase::usecases
