// SPDX-License-Identifier: Apache-2.0
#include "domain/usecases/suggest_queries.hpp"

#include <algorithm>
#include <cstdint>
#include <span>
#include <utility>

#include "domain/base/result.hpp"
#include "domain/base/text.hpp"

namespace kbase::usecases {
namespace {

using model::QueryNode;
using Kind = QueryNode::Kind;
using Words = std::vector<std::string_view>;

Words words_of(std::string_view text) {
  Words words;
  while (true) {
    const auto begin = std::find_if(text.begin(), text.end(), utf8::may_be_in_word);
    const auto end = std::find_if_not(begin, text.end(), utf8::may_be_in_word);
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

/// Whether people search for such words: not for what is encoded, hashes and ids, which alternate between letters and
/// digits or are long numbers.
bool is_typed_by_people(std::string_view word) {
  constexpr std::size_t kShort = 8, kMostRuns = 3, kLongest = 40, kLongestNumber = 8;  // bytes, runs
  if (word.size() < kShort) return true;
  std::size_t runs = 1;
  for (std::size_t i = 1; i < word.size(); ++i)
    runs += ascii::is_digit(word[i]) != ascii::is_digit(word[i - 1]) ? 1 : 0;
  const bool is_number = runs == 1 && ascii::is_digit(word[0]);
  return runs <= kMostRuns && utf8::code_points(word) <= kLongest && (!is_number || word.size() <= kLongestNumber);
}

constexpr std::size_t kCandidates = 12;  // completions that are tried together with the words typed before
constexpr std::size_t kBeginning = 3;    // characters of a last word from which all words that begin so are searched
constexpr std::uint64_t kHitsForTitles = 50;  // hits to search for matching titles

}  // namespace

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
  const auto part = std::find_if_not(last_.rbegin(), last_.rend(), utf8::may_be_in_word).base() - last_.begin();
  const bool is_split = words_.empty() && part > 0;
  if (done && is_split) done = complete_suffix(call, static_cast<std::size_t>(part));
  if (!done || (!is_split && query_.children.empty())) return done;
  return filter_completions(call, is_split ? Kind::Phrase : Kind::Word);
}

/// Completes the last word after its first `prefix_bytes` bytes.
Status SuggestQueries::complete_suffix(ports::Call& call, std::size_t prefix_bytes) {
  return index_.complete(call, last_.substr(prefix_bytes), 2 * kCandidates, [&](const ports::WordCompletion& each) {
    if (words_.size() == kCandidates) return Visit::Stop;
    if (!is_typed_by_people(each.word)) return Visit::Continue;
    words_.push_back(std::string(last_.substr(0, prefix_bytes)).append(each.word));
    return Visit::Continue;
  });
}

/// Keeps the completions that occur in items together with the words before, sorted by the number of items. `kind`: of
/// a completion; a Phrase is next to the parts of the word before it.
Status SuggestQueries::filter_completions(ports::Call& call, Kind kind) {
  std::vector<std::pair<std::uint64_t, std::string>> counted;
  for (std::string& word : words_) {
    model::QueryNode query = query_;
    (parent_ == Kind::AnyOf ? query.children.back() : query).children.push_back({kind, word, {}});
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

/// Returns the last word as a beginning. Since very many words begin with one or two letters, it is then the word as
/// typed and its completions, if there are any. That word is a phrase, because an incomplete word would be
/// typo-corrected.
std::vector<model::QueryNode> SuggestQueries::last_words() const {
  if (!completes_ || utf8::code_points(last_) >= kBeginning) return {{Kind::Prefix, std::string(last_), {}}};
  std::vector<model::QueryNode> words{{Kind::Phrase, std::string(last_), {}}};
  for (const std::string& word : words_) words.push_back({Kind::Word, word, {}});
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

/// Searches the best items for those whose titles contain everything typed, and sorts them by their views, then by
/// their lengths. Without highlights, uses the best items.
Status SuggestQueries::find_titles(ports::Call& call, std::size_t limit) {
  const model::QueryNode query = typed_query();
  if (query.children.empty()) return {};
  const bool has_highlights = index_.capabilities().highlights;
  ports::SearchRequest request = ports::SearchRequest::all_words(query);
  request.limit = has_highlights ? kHitsForTitles : limit;
  request.highlights = has_highlights;
  const auto answer = index_.search(call, request, [&](const ports::SearchHit& hit) {
    Title title{std::string(hit.title), std::string(hit.id), hit.views};
    if ((!has_highlights || highlights_whole_query(query, hit.title, hit.title_highlights)) && is_new(title))
      titles_.push_back(std::move(title));
    return Visit::Continue;
  });
  // A short title has little besides what was typed.
  std::stable_sort(titles_.begin(), titles_.end(), [](const Title& a, const Title& b) {
    return a.views != b.views ? a.views > b.views : a.text.size() < b.text.size();
  });
  titles_.resize(std::min(titles_.size(), limit));
  return answer ? Status() : Status(answer.error());
}

bool SuggestQueries::is_new(const Title& title) const {
  return !title.text.empty() &&
         std::none_of(titles_.begin(), titles_.end(), [&](const Title& each) { return each.text == title.text; });
}

}  // namespace kbase::usecases
