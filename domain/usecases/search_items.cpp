// SPDX-License-Identifier: Apache-2.0
#include "domain/usecases/search_items.hpp"

#include <algorithm>
#include <cstdint>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "domain/base/result.hpp"
#include "domain/base/text.hpp"
#include "domain/model/query.hpp"
#include "domain/usecases/bounds.hpp"
#include "domain/usecases/category_tree.hpp"
#include "domain/usecases/hit_rows.hpp"
#include "domain/usecases/relaxed_query.hpp"
#include "domain/usecases/suggest_queries.hpp"

namespace kbase::usecases {
namespace {

std::uint64_t max_depth(const ports::SearchQuery& query) {
  return query.collapses_titles ? ports::kMaxCollapsedDepth : ports::kMaxSearchDepth;
}

/// Whether a page of the query that begins at `offset` exceeds the maximum depth.
bool reaches_too_deep(const ports::SearchQuery& query, std::uint64_t offset) {
  return offset > max_depth(query) || query.limit > max_depth(query) - offset;
}

/// Returns the offset of the next page; nullopt after the last page or if it exceeds the maximum depth.
std::optional<std::uint64_t> next_offset(const ports::SearchQuery& query, std::uint64_t total) {
  const std::uint64_t next = query.offset + query.limit;
  if (next >= total || reaches_too_deep(query, next)) return std::nullopt;
  return next;
}

/// `state` is that of the index, or a result of it.
template <class State>
ports::Validator validator_of(const State& state, model::Sort sort, const model::SynonymTable& synonyms) {
  ports::Validator validator;
  validator.store_id = state.store_id;
  validator.content_revision = state.revision;
  if (sort == model::Sort::Popularity) validator.views_revision = state.views_revision;
  validator.synonyms = synonyms.digest();
  return validator;
}

/// Returns Unsupported if the index does not support the filter.
std::optional<Error> check_filter(const ports::SearchFilter& filter, const ports::SearchIndex& index) {
  if (filter.needs_filters() && !index.capabilities().filters)
    return Error{ErrorCode::Unsupported, "This server's search filters by category alone, not by tag or day."};
  if (filter.needs_selections() && !index.capabilities().selections)
    return Error{ErrorCode::Unsupported,
                 "This server's search filters by one category and one tag alone, not by several, nor by language or "
                 "version."};
  return std::nullopt;
}

/// Errors: Deadline if the call is quick and reads of the store may block.
Status check_may_read(const ports::Call& call, const ports::ItemStore& items) {
  if (!call.is_quick || items.capabilities().inline_reads) return {};
  return Error{ErrorCode::Deadline, "The store takes too long for a quick call."};
}

/// Errors: also those of check_may_read().
Status complete(ports::Call& call, HitRows& rows, ports::ItemStore& items) {
  KBASE_TRY(check_may_read(call, items));
  return rows.complete(call, items);
}

/// A filter whose categories include those below them.
class WidenedFilter {
 public:
  Status widen(ports::Call& call, ports::ItemStore& items, ports::SearchFilter& filter) {
    if (!filter.category) return {};
    KBASE_TRY(check_may_read(call, items));
    std::vector<std::string> chosen(filter.further_categories.begin(), filter.further_categories.end());
    chosen.insert(chosen.begin(), std::string(*filter.category));
    auto all = KBASE_TRY(with_subcategories(call, items, std::move(chosen)));
    ids_ = std::move(all);
    views_.assign(ids_.begin() + 1, ids_.end());
    filter.category = ids_.front();
    filter.further_categories = views_;
    return {};
  }

 private:
  std::vector<std::string> ids_;
  std::vector<std::string_view> views_;
};

/// `is_inside`: whether a character continues a word.
bool is_at(std::string_view text, std::size_t at, std::string_view word, bool (*is_inside)(char)) {
  if (text.size() - at < word.size()) return false;
  if (!std::equal(word.begin(), word.end(), text.begin() + static_cast<std::ptrdiff_t>(at),
                  [](char a, char b) { return ascii::to_lower(a) == ascii::to_lower(b); }))
    return false;
  const std::size_t end = at + word.size();
  return (at == 0 || !is_inside(text[at - 1])) && (end == text.size() || !is_inside(text[end]));
}

/// Replaces all occurrences of the word. Returns false if the word does not occur.
bool replace(std::string& text, const ports::Correction& correction, bool (*is_inside)(char)) {
  bool is_found = false;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (correction.word.empty() || !is_at(text, at, correction.word, is_inside)) continue;
    text.replace(at, correction.word.size(), correction.replacement);
    at += correction.replacement.size();
    is_found = true;
  }
  return is_found;
}

ports::FacetSelection supported_facets(ports::FacetSelection facets,
                                       const ports::SearchIndex::Capabilities& capabilities) {
  if (!capabilities.facets) return {};
  facets.languages = facets.languages && capabilities.selections;
  facets.versions = facets.versions && capabilities.selections;
  return facets;
}

}  // namespace

Result<ports::Validator> SearchItems::validator(ports::Call& call, model::Sort sort) {
  const auto state = KBASE_TRY(index_.state(call));
  return validator_of(state, sort, *synonyms_.current());
}

Result<ports::SearchPage> SearchItems::search(ports::Call& call, const ports::SearchQuery& query,
                                              Visitor<ports::SearchHit> visitor) {
  auto parsed = KBASE_TRY(model::parse_query(query.q, query.last_word));
  if (auto bad = check_limit(query.limit, ports::kMaxSearchLimit)) return *bad;
  if (auto bad = check_offset(query.offset)) return *bad;

  ports::SearchRequest request;
  static_cast<ports::SearchOptions&>(request) = query;
  request.facets = supported_facets(query.facets, index_.capabilities());
  const auto synonyms = synonyms_.current();
  RelaxedQuery relaxed(index_, *synonyms, std::move(parsed), query.fallback_below == model::kDefaultFallbackBelow);
  WidenedFilter widened;
  if (query.includes_subcategories) KBASE_TRY(widened.widen(call, items_, request.filter));
  if (auto bad = check_filter(request.filter, index_)) return *bad;
  // A page beyond the maximum depth is valid if it starts after the last result; it is then empty. Only the total
  // decides.
  const bool too_deep = reaches_too_deep(query, query.offset);
  if (too_deep) request.limit = request.offset = 0;

  bool has_more = false;
  const auto find = [&] {
    request.query = &relaxed.root();
    return query.collapses_titles ? search_titles(call, request, visitor, has_more)
                                  : search_hits(call, request, visitor);
  };
  KBASE_TRY(relaxed.prepare(call));
  auto answer = KBASE_TRY(find());
  if (answer.total == 0) {
    const auto is_relaxed = KBASE_TRY(relaxed.relax(call, !request.filter.is_empty()));
    if (is_relaxed) answer = KBASE_TRY(find());
  }
  if (too_deep && query.offset < answer.total)
    return invalid_argument("offset",
                            "a page must not reach past the first " + std::to_string(max_depth(query)) + " results");
  ports::SearchPage page;
  page.total = answer.total;
  if (!query.collapses_titles || has_more) page.next_offset = next_offset(query, answer.total);
  page.rule = answer.rule;
  page.relaxed = relaxed.relaxed();
  page.synonyms = relaxed.added_synonyms();
  page.did_you_mean = corrected_query(query.q, answer.corrections);
  page.corrections = std::move(answer.corrections);
  page.counted_facets = request.facets;
  page.facets = std::move(answer.facets);
  page.validator = validator_of(answer, query.sort, *synonyms);
  return page;
}

Result<ports::SearchResult> SearchItems::search_hits(ports::Call& call, const ports::SearchRequest& request,
                                                     Visitor<ports::SearchHit> visitor) {
  if (index_.capabilities().describes) return index_.search(call, request, visitor);
  HitRows rows;
  auto answer = KBASE_TRY(index_.search(call, request, [&rows](const ports::SearchHit& hit) { return rows.add(hit); }));
  KBASE_TRY(complete(call, rows, items_));
  rows.visit(visitor);
  return answer;
}

/// Reads from the first hit on, because a page begins after the titles of those before it, and somewhat beyond the
/// page, because items with one title are close in the order.
Result<ports::SearchResult> SearchItems::search_titles(ports::Call& call, const ports::SearchRequest& request,
                                                       Visitor<ports::SearchHit> visitor, bool& has_more) {
  constexpr std::uint64_t kFirstHits = 100, kGrowth = 4, kMostHits = ports::kMaxCollapsedDepth;
  const std::uint64_t wanted = request.offset + request.limit;
  ports::SearchRequest deeper = request;
  deeper.offset = 0;
  for (deeper.limit = request.limit == 0 ? 0 : std::max(kFirstHits, 2 * wanted);; deeper.limit *= kGrowth) {
    deeper.limit = std::min(deeper.limit, kMostHits);
    HitRows rows;
    auto answer =
        KBASE_TRY(index_.search(call, deeper, [&rows](const ports::SearchHit& hit) { return rows.add(hit); }));
    rows.collapse_titles();
    const bool is_all = deeper.limit >= std::min(answer.total, kMostHits) || deeper.limit == 0;
    if (rows.size() <= wanted && !is_all) continue;
    has_more = rows.size() > wanted;
    rows.keep(request.offset, request.limit);
    if (!index_.capabilities().describes) KBASE_TRY(complete(call, rows, items_));
    rows.visit(visitor);
    return answer;
  }
}

Status SearchItems::suggest(ports::Call& call, std::string_view q, std::uint64_t limit,
                            Visitor<ports::Suggestion> visitor) {
  if (auto bad = check_limit(limit, ports::kMaxSuggestions)) return *bad;
  return SuggestQueries(index_).suggest(call, q, static_cast<std::size_t>(limit), visitor);
}

std::string corrected_query(std::string_view q, std::span<const ports::Correction> corrections) {
  if (corrections.empty()) return {};
  std::string text(q);
  const bool are_found = std::all_of(corrections.begin(), corrections.end(), [&](const ports::Correction& correction) {
    // A mark or a character of a script without spaces may stand next to the word.
    return replace(text, correction, utf8::may_be_in_word) || replace(text, correction, ascii::is_alphanumeric);
  });
  return are_found ? text : std::string();
}

}  // namespace kbase::usecases
