// SPDX-License-Identifier: Apache-2.0
#include "domain/usecases/suggest_queries.hpp"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "domain/model/utf8.hpp"
#include "domain/usecases/ascii.hpp"
#include "domain/usecases/highlighted_words.hpp"

namespace kbase::usecases {
namespace {

constexpr std::size_t kCandidates = 12;       // completions that are tried together with the words typed before
constexpr std::size_t kWordsOfTitles = 5;     // completions of which a title must contain one
constexpr std::uint64_t kHitsForTitles = 20;  // hits to search for matching titles

}  // namespace

model::Status SuggestQueries::suggest(ports::Call& call, std::string_view q, std::size_t limit,
                                      model::Visitor<ports::Suggestion> visitor) {
  auto query = model::parse_query(q);
  if (!query) return model::Status();
  query_ = *std::move(query);
  take_last_word(q);
  if (auto done = complete(call); !done) return done;
  if (auto done = find_titles(call, limit); !done) return done;

  const std::size_t queries =
      std::min(words_.size(), std::max((limit + 1) / 2, limit - std::min(limit, titles_.size())));
  for (std::size_t i = 0; i < queries; ++i) {
    const std::string text = std::string(before_) + words_[i];
    if (visitor({text, {}}) == model::Visit::Stop) return {};
  }
  for (std::size_t i = 0; i < std::min(titles_.size(), limit - queries); ++i)
    if (visitor({titles_[i].text, titles_[i].item}) == model::Visit::Stop) break;
  return {};
}

/// Removes the last word from the query, unless it is followed by white space or is a quoted phrase. Quotes and a minus
/// before it remain in `before_`.
void SuggestQueries::take_last_word(std::string_view q) {
  model::QueryNode& operand = query_.children.back();
  const model::QueryNode& word = operand.children.empty() ? operand : operand.children.back();
  const bool is_ended = model::utf8::trimmed(q).end() != q.end() || word.kind == Kind::Phrase;
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
model::Status SuggestQueries::complete(ports::Call& call) {
  if (last_.empty() || !completes_) return {};
  auto done = complete_behind(call, 0);
  const auto part = std::find_if_not(last_.rbegin(), last_.rend(), may_be_in_word).base() - last_.begin();
  const bool is_parted = words_.empty() && part > 0;
  if (done && is_parted) done = complete_behind(call, static_cast<std::size_t>(part));
  if (!done || (!is_parted && query_.children.empty())) return done;
  return keep_completions_that_match(call);
}

/// Completes the last word after its first `kept` bytes.
model::Status SuggestQueries::complete_behind(ports::Call& call, std::size_t kept) {
  return index_.complete(call, last_.substr(kept), kCandidates, [&](const ports::WordCompletion& each) {
    words_.push_back(std::string(last_.substr(0, kept)).append(each.word));
    return model::Visit::Continue;
  });
}

/// Keeps the completions that occur in items together with the words before, sorted by the number of items.
model::Status SuggestQueries::keep_completions_that_match(ports::Call& call) {
  std::vector<std::pair<std::uint64_t, std::string>> counted;
  for (std::string& word : words_) {
    model::QueryNode query = query_;
    (parent_ == Kind::AnyOf ? query.children.back() : query).children.push_back({Kind::Word, word, {}});
    ports::SearchRequest request;
    request.query = &query;
    request.fallback_below = model::kAlwaysAllWords;
    const auto answer = index_.search(call, request, [](const ports::SearchHit&) { return model::Visit::Stop; });
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
model::QueryNode SuggestQueries::typed() const {
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
model::Status SuggestQueries::find_titles(ports::Call& call, std::size_t limit) {
  const model::QueryNode query = typed();
  if (query.children.empty()) return {};
  const bool has_highlights = index_.capabilities().highlights;
  ports::SearchRequest request;
  request.query = &query;
  request.limit = has_highlights ? kHitsForTitles : limit;
  request.fallback_below = model::kAlwaysAllWords;
  request.highlights = has_highlights;
  const auto answer = index_.search(call, request, [&](const ports::SearchHit& hit) {
    Title title{std::string(hit.title), std::string(hit.id)};
    if ((!has_highlights || highlights_whole_query(query, hit.title, hit.title_highlights)) && is_new(title))
      titles_.push_back(std::move(title));
    return titles_.size() < limit ? model::Visit::Continue : model::Visit::Stop;
  });
  return answer ? model::Status() : model::Status(answer.error());
}

bool SuggestQueries::is_new(const Title& title) const {
  return !title.text.empty() &&
         std::none_of(titles_.begin(), titles_.end(), [&](const Title& each) { return each.text == title.text; });
}

}  // namespace kbase::usecases
