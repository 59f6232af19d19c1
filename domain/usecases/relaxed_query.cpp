// SPDX-License-Identifier: Apache-2.0
#include "domain/usecases/relaxed_query.hpp"

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "domain/base/text.hpp"
#include "domain/model/function_words.hpp"

namespace kbase::usecases {
namespace {

using model::QueryNode;
using Kind = QueryNode::Kind;

/// Repetitions of a word that count. Further ones hardly change the ranking.
constexpr std::size_t kMaxRepetitions = 2;

/// Operands of a long query whose items are counted. Each takes a search, and for some indices a request to a server.
constexpr std::size_t kMaxCountedOperands = 256;

/// Appends the words of a phrase.
void append_words(std::string_view phrase, std::vector<QueryNode>& nodes) {
  while (!(phrase = utf8::trimmed(phrase)).empty()) {
    std::size_t end = 0;
    while (end < phrase.size() && utf8::space_length(phrase.substr(end)) == 0) ++end;
    nodes.push_back({Kind::Word, std::string(phrase.substr(0, end)), {}});
    phrase.remove_prefix(end);
  }
}

/// Turns the phrases that must hold into words. Returns false if the query has no phrase.
bool relax_phrases(QueryNode& root) {
  std::vector<QueryNode> nodes;
  bool is_relaxed = false;
  for (QueryNode& node : root.children) {
    if (node.kind != Kind::Phrase) {
      nodes.push_back(std::move(node));
      continue;
    }
    append_words(node.text, nodes);
    is_relaxed = true;
  }
  root.children = std::move(nodes);
  return is_relaxed;
}

bool is_exclusion(const QueryNode& node) { return node.kind == Kind::Not; }

bool drop_exclusions(QueryNode& root) { return std::erase_if(root.children, is_exclusion) != 0; }

/// Whether the quotes and exclusions may be those of pasted text. A phrase alone, and a word with exclusions, are meant
/// as they are.
bool may_be_pasted(const QueryNode& root) {
  const auto is_strict = [](const QueryNode& node) { return is_exclusion(node) || node.kind == Kind::Phrase; };
  const auto exclusions = std::count_if(root.children.begin(), root.children.end(), is_exclusion);
  return std::any_of(root.children.begin(), root.children.end(), is_strict) &&
         static_cast<std::size_t>(exclusions) + 1 < root.children.size();
}

/// The different operands of a query, and where they are.
struct Operands {
  std::vector<QueryNode> operands;
  std::vector<std::size_t> indexes;  ///< in `operands`, for each child of the root

  explicit Operands(const QueryNode& root) {
    for (const QueryNode& node : root.children) {
      const auto known = std::find(operands.begin(), operands.end(), node);
      indexes.push_back(static_cast<std::size_t>(known - operands.begin()));
      if (known == operands.end()) operands.push_back(node);
    }
  }
};

}  // namespace

Status RelaxedQuery::prepare(ports::Call& call) {
  KBASE_TRY(keep_options(call));
  KBASE_TRY(shorten(call, root_, relaxed_));
  mark_function_words();
  add_synonyms();
  return {};
}

/// An index that would require optional words does not get them.
void RelaxedQuery::mark_function_words() {
  if (!is_relaxable_) return;
  model::mark_function_words(root_);
  if (!index_.capabilities().optional_words)
    std::erase_if(root_.children, [](const QueryNode& node) { return node.is_optional; });
}

void RelaxedQuery::add_synonyms() {
  if (!index_.capabilities().synonyms) return;
  for (QueryNode& node : root_.children)
    if (node.kind == Kind::Word) node.children.clear();
  added_synonyms_ = synonyms_.add_to(root_);
}

Result<std::uint64_t> RelaxedQuery::count(ports::Call& call, const QueryNode& query) {
  ports::SearchRequest request;
  request.query = &query;
  const auto answer = KBASE_TRY(index_.search(call, request, [](const ports::SearchHit&) { return Visit::Stop; }));
  return answer.total;
}

Result<std::uint64_t> RelaxedQuery::count_operand(ports::Call& call, const QueryNode& operand) {
  QueryNode query;
  query.children.push_back(operand);
  return count(call, query);
}

/// ` -xzf` is an option where the base has it written as one, and a word then.
Status RelaxedQuery::keep_options(ports::Call& call) {
  if (!index_.capabilities().options) return {};
  std::size_t left = ports::kMaxQueryOperands;  // the number of exclusions is bounded by shorten()
  for (QueryNode& node : root_.children) {
    if (left == 0) break;
    if (node.kind != Kind::Not || node.children.front().kind != Kind::Word) continue;
    --left;
    std::string option = "-" + node.children.front().text;
    const auto items = KBASE_TRY(count_operand(call, {Kind::Phrase, option, {}}));
    if (items != 0) node = {Kind::Word, std::move(option), {}};
  }
  return {};
}

/// Keeps the rarest operands that the index has. Those that it does not have, and those that are not counted, come
/// last. Keeps the first exclusions too.
Status RelaxedQuery::shorten(ports::Call& call, QueryNode& root, ports::Relaxation& how) {
  if (root.children.size() <= ports::kMaxQueryOperands) return {};
  Operands all(root);
  const auto exclusions =
      static_cast<std::size_t>(std::count_if(all.operands.begin(), all.operands.end(), is_exclusion));
  const bool has_too_many = all.operands.size() - exclusions > ports::kMaxQueryOperands;
  std::vector<std::pair<std::uint64_t, std::size_t>> ranked, excluded;
  std::size_t to_count = has_too_many ? kMaxCountedOperands : 0;
  for (std::size_t i = 0; i < all.operands.size(); ++i) {
    std::uint64_t items = has_too_many ? ~std::uint64_t{0} : 0;
    if (to_count > 0 && !is_exclusion(all.operands[i])) {
      --to_count;
      items = KBASE_TRY(count_operand(call, all.operands[i]));
      if (items == 0) items = ~std::uint64_t{0};
    }
    (is_exclusion(all.operands[i]) ? excluded : ranked).emplace_back(items, i);
  }
  std::sort(ranked.begin(), ranked.end());
  std::vector<std::size_t> left(all.operands.size(), 0);  // repetitions that may follow
  for (auto* const list : {&ranked, &excluded}) {
    how.length = how.length || list->size() > ports::kMaxQueryOperands;
    list->resize(std::min(list->size(), ports::kMaxQueryOperands));
    for (const auto& [items, operand] : *list) left[operand] = kMaxRepetitions;
  }
  std::vector<QueryNode> kept;
  for (std::size_t i = 0; i < root.children.size(); ++i)
    if (left[all.indexes[i]] != 0) {
      --left[all.indexes[i]];
      kept.push_back(std::move(root.children[i]));
    }
  root.children = std::move(kept);
  return {};
}

Result<bool> RelaxedQuery::relax(ports::Call& call, bool is_filtered) {
  if (!is_relaxable_ || !may_be_pasted(root_)) return false;
  if (is_filtered) {
    const auto items = KBASE_TRY(count(call, root_));
    if (items != 0) return false;
  }
  QueryNode relaxed = root_;
  ports::Relaxation how = relaxed_;
  for (const auto& [step, is_done] : {std::pair(&relax_phrases, &ports::Relaxation::phrase),
                                      std::pair(&drop_exclusions, &ports::Relaxation::exclusion)}) {
    if (!step(relaxed)) continue;
    how.*is_done = true;
    KBASE_TRY(shorten(call, relaxed, how));
    const auto items = KBASE_TRY(count(call, relaxed));
    if (items == 0) continue;
    root_ = std::move(relaxed);
    relaxed_ = how;
    mark_function_words();
    add_synonyms();
    return true;
  }
  return false;
}

}  // namespace kbase::usecases
