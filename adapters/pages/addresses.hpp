// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "domain/model/query.hpp"

/// Addresses of the pages of the site, as paths from the root.
namespace kbase::pages {

/// The names of model::Sort and of ports::Period in addresses of pages and of the API, in the order of their values.
inline constexpr std::array<std::string_view, 3> kSortNames = {"relevance", "date", "popularity"};
inline constexpr std::array<std::string_view, 4> kPeriodNames = {"day", "week", "month", "all"};

/// Returns the name of a value, from one of the arrays above.
template <class Value, class Names> constexpr std::string_view name_of(Value value, const Names& names) {
  return names[static_cast<std::size_t>(value)];
}

/// What a page of search results shows. The addresses of its links are those of similar questions.
struct Question {
  std::string q;
  std::vector<std::string> categories, tags;     ///< an item has one of the categories, and one of the tags
  std::vector<std::string> languages, versions;  ///< at most one of each
  model::Sort sort = model::Sort::Relevance;
  std::uint64_t page = 1;  ///< counted from 1
};

/// Returns the question for the items of a tag. A search needs words, so the tag is also a phrase.
Question tag_question(std::string_view tag);

/// Returns the address of a section in the page that has it; empty for an empty anchor, which is the start of the page.
std::string anchor_address(std::string_view anchor);

std::string item_address(std::string_view id, std::string_view anchor = {}, std::string_view search_id = {});
std::string category_address(std::string_view id, std::uint64_t page = 1);
std::string search_address(const Question& question);

}  // namespace kbase::pages
