// SPDX-License-Identifier: Apache-2.0
#include "domain/usecases/suggest_queries.hpp"

#include <algorithm>
#include <cstdint>
#include <utility>

namespace kbase::usecases {
namespace {

using Kind = model::QueryNode::Kind;

constexpr std::size_t kCandidates = 12;       // words that are tried beside those typed before
constexpr std::size_t kWordsOfTitles = 5;     // one of which a title has to have
constexpr std::uint64_t kHitsForTitles = 20;  // among which titles are looked for

bool is_space(char c) {
  return static_cast<unsigned char>(c) <= 0x20;
}

/// Where the last word begins: behind white space, and behind what says how it is looked for.
std::size_t begin_of_last_word(std::string_view q) {
  auto begin = std::find_if(q.rbegin(), q.rend(), is_space).base();
  while (begin != q.end() && (*begin == '"' || *begin == '-')) ++begin;
  return static_cast<std::size_t>(begin - q.begin());
}

std::string_view without_ending(std::string_view word) {
  while (!word.empty() && (word.back() == '"' || word.back() == '*')) word.remove_suffix(1);
  return word;
}

std::size_t words_in(const model::QueryNode& root) {
  return static_cast<std::size_t>(std::count_if(root.children.begin(), root.children.end(),
                                                [](const model::QueryNode& node) { return node.kind != Kind::Not; }));
}

}  // namespace

model::Status SuggestQueries::suggest(ports::Call& call, std::string_view q, std::size_t limit,
                                      model::Visitor<ports::Suggestion> visitor) {
  const auto whole = model::parse_query(q);
  if (!whole) return model::Status();
  before_ = q.substr(0, begin_of_last_word(q));
  last_ = without_ending(q.substr(before_.size()));
  if (auto before = model::parse_query(before_)) before_query_ = *std::move(before);
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

/// An index without completions has titles alone.
model::Status SuggestQueries::complete(ports::Call& call) {
  if (last_.empty() || !index_.capabilities().completions) return {};
  const auto completed = index_.complete(call, last_, kCandidates, [this](const ports::WordCompletion& each) {
    if (each.word == last_)
      is_word_ = true;
    else
      words_.emplace_back(each.word);
    return model::Visit::Continue;
  });
  if (!completed || before_query_.children.empty()) return completed;
  return keep_completions_that_match(call);
}

/// Those that items have together with the words before, most items first.
model::Status SuggestQueries::keep_completions_that_match(ports::Call& call) {
  std::vector<std::pair<std::uint64_t, std::string>> counted;
  for (std::string& word : words_) {
    model::QueryNode query = before_query_;
    query.children.push_back({Kind::Word, word, {}});
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

/// The words before, and one of those that the last one may become, or itself where it is one: what is none would be
/// taken for a mistake, and corrected.
model::QueryNode SuggestQueries::typed() const {
  model::QueryNode query = before_query_;
  query.kind = Kind::AllOf;
  if (last_.empty()) return query;
  if (!index_.capabilities().completions) {
    query.children.push_back({Kind::Prefix, std::string(last_), {}});
    return query;
  }
  model::QueryNode any{Kind::AnyOf, {}, {}};
  if (is_word_) any.children.push_back({Kind::Word, std::string(last_), {}});
  for (std::size_t i = 0; i < std::min(words_.size(), kWordsOfTitles); ++i)
    any.children.push_back({Kind::Word, words_[i], {}});
  query.children.push_back(std::move(any));
  return query;
}

/// Of the best items, those that have a word of the title for each that was typed; without marks the best items.
model::Status SuggestQueries::find_titles(ports::Call& call, std::size_t limit) {
  const model::QueryNode query = typed();
  if (!last_.empty() && index_.capabilities().completions && !is_word_ && words_.empty()) return {};
  const bool has_marks = index_.capabilities().marks;
  ports::SearchRequest request;
  request.query = &query;
  request.limit = has_marks ? kHitsForTitles : limit;
  request.fallback_below = model::kAlwaysAllWords;
  request.marks = has_marks;
  const std::size_t words = words_in(query);
  const auto answer = index_.search(call, request, [&](const ports::SearchHit& hit) {
    Title title{std::string(hit.title), std::string(hit.id)};
    if ((!has_marks || hit.title_marks.size() >= words) && is_new(title)) titles_.push_back(std::move(title));
    return titles_.size() < limit ? model::Visit::Continue : model::Visit::Stop;
  });
  return answer ? model::Status() : model::Status(answer.error());
}

bool SuggestQueries::is_new(const Title& title) const {
  return !title.text.empty() &&
         std::none_of(titles_.begin(), titles_.end(), [&](const Title& each) { return each.text == title.text; });
}

}  // namespace kbase::usecases
