// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "adapters/memory_index/document.hpp"
#include "domain/model/query.hpp"

namespace kbase::memory_index {

using Documents = std::map<std::string, std::shared_ptr<const Document>, std::less<>>;  // by id

struct Match {
  const Document* document = nullptr;
  double score = 0;
};

struct Matches {
  std::vector<Match> all;  ///< ordered by id
  model::MatchRule rule = model::MatchRule::AllWords;
};

/// Returns the documents that match by the rule of the SearchIndex port, scored with BM25 (k1 = 1.2, b = 0.75).
Matches match(const Documents& documents, const text::Query& query, model::FallbackBelow fallback_below);

}  // namespace kbase::memory_index
