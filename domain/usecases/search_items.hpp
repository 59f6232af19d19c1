// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ports/driven/search_index.hpp"
#include "ports/driving/search.hpp"

namespace kbase::usecases {

/// Full-text search. Checks limits, parses the query and computes pages; the index does the rest.
class SearchItems final : public ports::Search {
 public:
  /// The index must outlive the object.
  explicit SearchItems(ports::SearchIndex& index) : index_(index) {}

  Result<ports::Validator> validator(ports::Call& call, model::Sort sort) override;
  Result<ports::SearchPage> search(ports::Call& call, const ports::SearchQuery& query,
                                   Visitor<ports::SearchHit> visitor) override;
  Status suggest(ports::Call& call, std::string_view q, std::uint64_t limit,
                 Visitor<ports::Suggestion> visitor) override;

 private:
  ports::SearchIndex& index_;
};

}  // namespace kbase::usecases
