// SPDX-License-Identifier: Apache-2.0
#include "domain/usecases/highlighted_words.hpp"

#include <algorithm>
#include <vector>

#include "domain/model/utf8.hpp"
#include "domain/usecases/ascii.hpp"

namespace kbase::usecases {
namespace {

namespace utf8 = model::utf8;
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

bool begins_with(std::string_view text, std::string_view beginning) {
  return text.size() >= beginning.size() && std::equal(beginning.begin(), beginning.end(), text.begin(),
                                                       [](char a, char b) { return lower(a) == lower(b); });
}

/// Whether the highlighted text `mark` belongs to `word`: it starts with the first half of the word, or contains it. In
/// languages without spaces, one highlight may span several words.
bool is_of(std::string_view mark, std::string_view word) {
  const std::size_t half = (utf8::code_points(word) + 1) / 2;
  return begins_with(mark, utf8::prefix(word, std::max<std::size_t>(half, 2))) ||
         mark.find(word) != std::string_view::npos;
}

bool has_all(const Words& marked, const QueryNode& node) {
  const auto is_marked = [&](std::string_view word) {
    return std::any_of(marked.begin(), marked.end(), [&](std::string_view mark) { return is_of(mark, word); });
  };
  if (node.kind == Kind::AnyOf)
    return std::any_of(node.children.begin(), node.children.end(),
                       [&](const QueryNode& child) { return has_all(marked, child); });
  const Words words = words_of(node.text);
  return std::all_of(words.begin(), words.end(), is_marked);
}

bool is_of_any(std::string_view mark, const QueryNode& node) {
  const Words words = words_of(node.text);
  return std::any_of(words.begin(), words.end(), [&](std::string_view word) { return is_of(mark, word); }) ||
         std::any_of(node.children.begin(), node.children.end(),
                     [&](const QueryNode& child) { return is_of_any(mark, child); });
}

}  // namespace

bool highlights_whole_query(const QueryNode& query, std::string_view text,
                            std::span<const model::Highlight> highlights) {
  Words marked;
  for (const model::Highlight& mark : highlights) marked.push_back(text.substr(mark.begin, mark.end - mark.begin));
  const auto missing = std::count_if(query.children.begin(), query.children.end(), [&](const QueryNode& node) {
    return node.kind != Kind::Not && !has_all(marked, node);
  });
  const auto unknown =
      std::count_if(marked.begin(), marked.end(), [&](std::string_view mark) { return !is_of_any(mark, query); });
  return missing <= unknown;
}

}  // namespace kbase::usecases
