// SPDX-License-Identifier: Apache-2.0
#include "domain/usecases/search_items.hpp"

#include "domain/base/result.hpp"
#include "domain/usecases/bounds.hpp"
#include "domain/usecases/query_suggestions.hpp"

namespace kbase::usecases {
namespace {

bool reaches_too_deep(std::uint64_t offset, std::uint64_t limit) {
  return offset > ports::kMaxSearchDepth || limit > ports::kMaxSearchDepth - offset;
}

/// Returns the offset of the next page; nullopt after the last page or if it exceeds the maximum depth.
std::optional<std::uint64_t> next_offset(const ports::SearchQuery& query, std::uint64_t total) {
  const std::uint64_t next = query.offset + query.limit;
  if (next >= total || reaches_too_deep(next, query.limit)) return std::nullopt;
  return next;
}

ports::Validator validator_of(const model::StoreId& store_id, model::Revision revision, model::ViewsRevision views,
                              model::Sort sort) {
  return {store_id, revision, sort == model::Sort::Popularity ? views : 0, {}};
}

/// Returns Unsupported if the index does not support the filter.
std::optional<Error> check_filter(const ports::SearchFilter& filter, const ports::SearchIndex& index) {
  if (filter.needs_no_capability() || index.capabilities().filters) return std::nullopt;
  return Error{ErrorCode::Unsupported, "This server's search filters by category alone, not by tag or day."};
}

}  // namespace

Result<ports::Validator> SearchItems::validator(ports::Call& call, model::Sort sort) {
  const auto state = KBASE_TRY(index_.state(call));
  return validator_of(state.store_id, state.revision, state.views_revision, sort);
}

Result<ports::SearchPage> SearchItems::search(ports::Call& call, const ports::SearchQuery& query,
                                              Visitor<ports::SearchHit> visitor) {
  const auto parsed = KBASE_TRY(model::parse_query(query.q));
  if (auto bad = check_limit(query.limit, ports::kMaxSearchLimit)) return *bad;
  if (auto bad = check_offset(query.offset)) return *bad;
  if (auto bad = check_filter(query.filter, index_)) return *bad;

  ports::SearchRequest request;
  static_cast<ports::SearchOptions&>(request) = query;
  request.query = &parsed;
  // A page beyond the maximum depth is valid if it starts after the last result; it is then empty. Only the total
  // decides.
  const bool too_deep = reaches_too_deep(query.offset, query.limit);
  if (too_deep) request.limit = request.offset = 0;

  auto answer = KBASE_TRY(index_.search(call, request, visitor));
  if (too_deep && query.offset < answer.total)
    return invalid_argument("offset", "a page must not reach past the first 100000 results");
  ports::SearchPage page;
  page.total = answer.total;
  page.next_offset = next_offset(query, answer.total);
  page.rule = answer.rule;
  page.did_you_mean = corrected_query(query.q, answer.corrections);
  page.corrections = std::move(answer.corrections);
  if (query.facets.any() && index_.capabilities().facets) page.facets = std::move(answer.facets);
  page.validator = validator_of(answer.store_id, answer.revision, answer.views_revision, query.sort);
  return page;
}

Status SearchItems::suggest(ports::Call& call, std::string_view q, std::uint64_t limit,
                            Visitor<ports::Suggestion> visitor) {
  if (auto bad = check_limit(limit, ports::kMaxSuggestions)) return *bad;
  return SuggestQueries(index_).suggest(call, q, static_cast<std::size_t>(limit), visitor);
}

}  // namespace kbase::usecases
