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

ports::Validator validator_of(const model::StoreId& store_id, model::Revision revision, model::ViewsRevision views,
                              model::Sort sort) {
  return {store_id, revision, sort == model::Sort::Popularity ? views : 0, {}};
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

/// A filter whose categories include those below them.
class WidenedFilter {
 public:
  Status widen(ports::Call& call, ports::ItemStore& items, ports::SearchFilter& filter) {
    if (!filter.category) return {};
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

/// Whether `c` may be part of a word. Bytes outside ASCII may belong to letters.
inline bool may_be_in_word(char c) { return ascii::is_alphanumeric(c) || static_cast<unsigned char>(c) >= 0x80; }

using model::QueryNode;
using Kind = QueryNode::Kind;
using Words = std::vector<std::string_view>;

Words words_of(std::string_view text) {
  Words words;
  while (true) {
    const auto begin = std::find_if(text.begin(), text.end(), may_be_in_word);
    const auto end = std::find_if_not(begin, text.end(), may_be_in_word);
    if (begin == end) return words;
    words.emplace_back(begin, end);
    text.remove_prefix(static_cast<std::size_t>(end - text.begin()));
  }
}

bool starts_with_ignoring_case(std::string_view text, std::string_view beginning) {
  return text.size() >= beginning.size() &&
         std::equal(beginning.begin(), beginning.end(), text.begin(),
                    [](char a, char b) { return ascii::to_lower(a) == ascii::to_lower(b); });
}

/// Whether the highlighted text `highlight` belongs to `word`: it starts with the first half of the word, or contains
/// it. In languages without spaces, one highlight may span several words.
bool belongs_to(std::string_view highlight, std::string_view word) {
  const std::size_t half = (utf8::code_points(word) + 1) / 2;
  return starts_with_ignoring_case(highlight, utf8::prefix(word, std::max<std::size_t>(half, 2))) ||
         highlight.find(word) != std::string_view::npos;
}

bool has_all(const Words& highlighted, const QueryNode& node) {
  const auto is_highlighted = [&](std::string_view word) {
    return std::any_of(highlighted.begin(), highlighted.end(),
                       [&](std::string_view highlight) { return belongs_to(highlight, word); });
  };
  if (node.kind == Kind::AnyOf)
    return std::any_of(node.children.begin(), node.children.end(),
                       [&](const QueryNode& child) { return has_all(highlighted, child); });
  const Words words = words_of(node.text);
  return std::all_of(words.begin(), words.end(), is_highlighted);
}

bool belongs_to_any(std::string_view highlight, const QueryNode& node) {
  const Words words = words_of(node.text);
  return std::any_of(words.begin(), words.end(), [&](std::string_view word) { return belongs_to(highlight, word); }) ||
         std::any_of(node.children.begin(), node.children.end(),
                     [&](const QueryNode& child) { return belongs_to_any(highlight, child); });
}

/// Whether the highlights cover all words of the query, not only some of them repeatedly. Highlights do not identify
/// their query word, but forms of one word usually start alike. A highlight that matches no query word this way (other
/// accents, capitals outside ASCII) counts for one missing word.
bool highlights_whole_query(const QueryNode& query, std::string_view text,
                            std::span<const model::Highlight> highlights) {
  Words highlighted;
  for (const model::Highlight& each : highlights) highlighted.push_back(text.substr(each.begin, each.end - each.begin));
  const auto missing = std::count_if(query.children.begin(), query.children.end(), [&](const QueryNode& node) {
    return node.kind != Kind::Not && !has_all(highlighted, node);
  });
  const auto unknown = std::count_if(highlighted.begin(), highlighted.end(),
                                     [&](std::string_view highlight) { return !belongs_to_any(highlight, query); });
  return missing <= unknown;
}

bool is_at(std::string_view text, std::size_t at, std::string_view word) {
  if (text.size() - at < word.size()) return false;
  if (!std::equal(word.begin(), word.end(), text.begin() + static_cast<std::ptrdiff_t>(at),
                  [](char a, char b) { return ascii::to_lower(a) == ascii::to_lower(b); }))
    return false;
  const std::size_t end = at + word.size();
  return (at == 0 || !may_be_in_word(text[at - 1])) && (end == text.size() || !may_be_in_word(text[end]));
}

/// Replaces all occurrences of the word. Returns false if the word does not occur.
bool replace(std::string& text, const ports::Correction& correction) {
  bool is_found = false;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (correction.word.empty() || !is_at(text, at, correction.word)) continue;
    text.replace(at, correction.word.size(), correction.replacement);
    at += correction.replacement.size();
    is_found = true;
  }
  return is_found;
}

constexpr std::size_t kCandidates = 12;       // completions that are tried together with the words typed before
constexpr std::size_t kWordsOfTitles = 5;     // completions of which a title must contain one
constexpr std::uint64_t kHitsForTitles = 20;  // hits to search for matching titles

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

  ports::SearchRequest request;
  static_cast<ports::SearchOptions&>(request) = query;
  request.query = &parsed;
  WidenedFilter widened;
  if (query.includes_subcategories) KBASE_TRY(widened.widen(call, items_, request.filter));
  if (auto bad = check_filter(request.filter, index_)) return *bad;
  // A page beyond the maximum depth is valid if it starts after the last result; it is then empty. Only the total
  // decides.
  const bool too_deep = reaches_too_deep(query, query.offset);
  if (too_deep) request.limit = request.offset = 0;

  bool has_more = false;
  auto answer = KBASE_TRY(query.collapses_titles ? search_titles(call, request, visitor, has_more)
                                                 : search_hits(call, request, visitor));
  if (too_deep && query.offset < answer.total)
    return invalid_argument("offset",
                            "a page must not reach past the first " + std::to_string(max_depth(query)) + " results");
  ports::SearchPage page;
  page.total = answer.total;
  if (!query.collapses_titles || has_more) page.next_offset = next_offset(query, answer.total);
  page.rule = answer.rule;
  page.did_you_mean = corrected_query(query.q, answer.corrections);
  page.corrections = std::move(answer.corrections);
  if (query.facets.any() && index_.capabilities().facets) page.facets = std::move(answer.facets);
  page.validator = validator_of(answer.store_id, answer.revision, answer.views_revision, query.sort);
  return page;
}

Result<ports::SearchResult> SearchItems::search_hits(ports::Call& call, const ports::SearchRequest& request,
                                                     Visitor<ports::SearchHit> visitor) {
  if (index_.capabilities().describes) return index_.search(call, request, visitor);
  HitRows rows;
  auto answer = KBASE_TRY(index_.search(call, request, [&rows](const ports::SearchHit& hit) { return rows.add(hit); }));
  KBASE_TRY(rows.complete(call, items_));
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
    if (!index_.capabilities().describes) KBASE_TRY(rows.complete(call, items_));
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
  const bool are_found = std::all_of(corrections.begin(), corrections.end(),
                                     [&](const ports::Correction& correction) { return replace(text, correction); });
  return are_found ? text : std::string();
}

Status SuggestQueries::suggest(ports::Call& call, std::string_view q, std::size_t limit,
                               Visitor<ports::Suggestion> visitor) {
  auto query = model::parse_query(q);
  if (!query) return Status();
  query_ = *std::move(query);
  extract_last_word(q);
  KBASE_TRY(complete(call));
  KBASE_TRY(find_titles(call, limit));

  const std::size_t queries =
      std::min(words_.size(), std::max((limit + 1) / 2, limit - std::min(limit, titles_.size())));
  for (std::size_t i = 0; i < queries; ++i) {
    const std::string text = std::string(before_) + words_[i];
    if (visitor({text, {}}) == Visit::Stop) return {};
  }
  for (std::size_t i = 0; i < std::min(titles_.size(), limit - queries); ++i)
    if (visitor({titles_[i].text, titles_[i].item}) == Visit::Stop) break;
  return {};
}

/// Removes the last word from the query, unless it is followed by white space or is a quoted phrase. Quotes and a minus
/// before it remain in `before_`.
void SuggestQueries::extract_last_word(std::string_view q) {
  model::QueryNode& operand = query_.children.back();
  const model::QueryNode& word = operand.children.empty() ? operand : operand.children.back();
  const bool is_ended = utf8::trimmed(q).end() != q.end() || word.kind == Kind::Phrase;
  before_ = q;
  if (is_ended) return;
  last_ = q.substr(q.size() - word.text.size() - (word.kind == Kind::Prefix ? 1 : 0), word.text.size());
  last_.remove_prefix(std::min(last_.find_first_not_of("\"-"), last_.size()));
  before_ = q.substr(0, static_cast<std::size_t>(last_.data() - q.data()));
  parent_ = operand.children.empty() ? Kind::AllOf : operand.kind;
  (parent_ == Kind::AnyOf ? operand : query_).children.pop_back();
}

/// Without completions in the index, only titles are suggested. If the index splits the last word, as in `node.j`,
/// completes its last part.
Status SuggestQueries::complete(ports::Call& call) {
  if (last_.empty() || !completes_) return {};
  auto done = complete_suffix(call, 0);
  const auto part = std::find_if_not(last_.rbegin(), last_.rend(), may_be_in_word).base() - last_.begin();
  const bool is_split = words_.empty() && part > 0;
  if (done && is_split) done = complete_suffix(call, static_cast<std::size_t>(part));
  if (!done || (!is_split && query_.children.empty())) return done;
  return filter_completions(call);
}

/// Completes the last word after its first `prefix_bytes` bytes.
Status SuggestQueries::complete_suffix(ports::Call& call, std::size_t prefix_bytes) {
  return index_.complete(call, last_.substr(prefix_bytes), kCandidates, [&](const ports::WordCompletion& each) {
    words_.push_back(std::string(last_.substr(0, prefix_bytes)).append(each.word));
    return Visit::Continue;
  });
}

/// Keeps the completions that occur in items together with the words before, sorted by the number of items.
Status SuggestQueries::filter_completions(ports::Call& call) {
  std::vector<std::pair<std::uint64_t, std::string>> counted;
  for (std::string& word : words_) {
    model::QueryNode query = query_;
    (parent_ == Kind::AnyOf ? query.children.back() : query).children.push_back({Kind::Word, word, {}});
    const auto answer = index_.search(call, ports::SearchRequest::all_words(query),
                                      [](const ports::SearchHit&) { return Visit::Stop; });
    if (!answer) return answer.error();
    if (answer->total > 0) counted.emplace_back(answer->total, std::move(word));
  }
  std::stable_sort(counted.begin(), counted.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
  words_.clear();
  for (auto& [items, word] : counted) words_.push_back(std::move(word));
  return {};
}

/// Returns the last word as typed and its completions. The typed word is a phrase, because an incomplete word would be
/// typo-corrected. Without completions it is a prefix instead, which can take seconds for a single letter.
std::vector<model::QueryNode> SuggestQueries::last_words() const {
  std::vector<model::QueryNode> words{{completes_ ? Kind::Phrase : Kind::Prefix, std::string(last_), {}}};
  for (std::size_t i = 0; i < std::min(words_.size(), kWordsOfTitles); ++i)
    words.push_back({Kind::Word, words_[i], {}});
  return words;
}

/// The words before, and one of the possible last words. If the last word is excluded: none of them.
model::QueryNode SuggestQueries::typed_query() const {
  model::QueryNode query = query_;
  if (last_.empty()) return query;
  if (parent_ == Kind::AllOf) query.children.push_back({Kind::AnyOf, {}, {}});
  for (model::QueryNode& word : last_words())
    if (parent_ == Kind::Not)
      query.children.push_back({Kind::Not, {}, {std::move(word)}});
    else
      query.children.back().children.push_back(std::move(word));
  return query;
}

/// Searches the best items for those whose titles contain everything typed. Without highlights, uses the best items.
Status SuggestQueries::find_titles(ports::Call& call, std::size_t limit) {
  const model::QueryNode query = typed_query();
  if (query.children.empty()) return {};
  const bool has_highlights = index_.capabilities().highlights;
  ports::SearchRequest request = ports::SearchRequest::all_words(query);
  request.limit = has_highlights ? kHitsForTitles : limit;
  request.highlights = has_highlights;
  const auto answer = index_.search(call, request, [&](const ports::SearchHit& hit) {
    Title title{std::string(hit.title), std::string(hit.id)};
    if ((!has_highlights || highlights_whole_query(query, hit.title, hit.title_highlights)) && is_new(title))
      titles_.push_back(std::move(title));
    return titles_.size() < limit ? Visit::Continue : Visit::Stop;
  });
  return answer ? Status() : Status(answer.error());
}

bool SuggestQueries::is_new(const Title& title) const {
  return !title.text.empty() &&
         std::none_of(titles_.begin(), titles_.end(), [&](const Title& each) { return each.text == title.text; });
}

}  // namespace kbase::usecases
