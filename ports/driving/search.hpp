// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "domain/model/query.hpp"
#include "domain/model/result.hpp"
#include "ports/driven/call.hpp"
#include "ports/driven/search_index.hpp"
#include "ports/driving/validator.hpp"

namespace kbase::ports {

/// The bounds of GET /search (specification 4.1, contract section 3).
inline constexpr std::uint64_t kDefaultSearchLimit = 20;
inline constexpr std::uint64_t kMaxSearchLimit = 100;
inline constexpr std::uint64_t kMaxSearchDepth = 100'000;  ///< no page reaches past this many results
inline constexpr std::uint64_t kMaxOffset = (1ULL << 53) - 1;

struct SearchQuestion {
  std::string_view q;
  std::string_view category;  ///< empty: no filter
  std::uint64_t limit = kDefaultSearchLimit;
  std::uint64_t offset = 0;
  model::Sort sort = model::Sort::Relevance;
  model::FallbackBelow fallback_below = model::kDefaultFallbackBelow;
};

struct SearchPage {
  std::uint64_t total = 0;
  std::optional<std::uint64_t> next_offset;  ///< none on the last page
  model::MatchRule rule = model::MatchRule::AllWords;
  std::vector<Correction> corrections;
  Validator validator;
};

/// Full-text search. Any thread.
class Search {
 public:
  virtual ~Search() = default;

  /// What an answer given now would be computed on.
  virtual model::Result<Validator> validator(Call& call, model::Sort sort) = 0;

  /// InvalidArgument with `parameter` q, limit or offset; Unavailable while the index has no complete state.
  virtual model::Result<SearchPage> search(Call& call, const SearchQuestion& question,
                                           model::Visitor<SearchHit> visitor) = 0;
};

}  // namespace kbase::ports
