// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

/// Addresses of the pages of the site, as paths from the root.
namespace kbase::pages {

/// What a page of search results shows. The addresses of its links are those of similar questions.
struct Question {
  std::string q;
  std::vector<std::string> categories, tags;  ///< an item has one of the categories, and all of the tags
  std::string language, version;              ///< empty: any
  std::string sort;                           ///< as in the API; empty: relevance
  std::uint64_t page = 1;                     ///< counted from 1
};

/// Returns the question for the items of a tag. A search needs words, so the tag is also a phrase.
Question tag_question(std::string_view tag);

/// Returns the address of a section in the page that has it; empty for an empty anchor, which is the start of the page.
std::string anchor_address(std::string_view anchor);

std::string item_address(std::string_view id, std::string_view anchor = {});
std::string category_address(std::string_view id, std::uint64_t page = 1);
std::string search_address(const Question& question);

}  // namespace kbase::pages
