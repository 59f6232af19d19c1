// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <set>
#include <string>
#include <string_view>

namespace kbase::markup {

/// Whether HTML has an element of this name, in any case (HTML Living Standard, section 4, and its obsolete elements).
bool is_html_element(std::string_view name);

/// A tag of HTML or JSX in a text.
struct Tag {
  std::string_view name;         ///< "div", "Tabs.Item"
  std::size_t size = 0;          ///< length of the tag in bytes, including the angle brackets
  bool is_closing = false;       ///< "</name>"
  bool has_expressions = false;  ///< an attribute has a value in braces, which is not HTML
  std::string shown = {};        ///< values of the attributes that readers see (title, label), separated by spaces
  std::string html = {};         ///< the tag without the attributes in braces; set if has_expressions
};

/// Longest tag, in bytes. A longer one is text, so that the time to read a text stays linear.
inline constexpr std::size_t kMaxTagBytes = 8192;

/// Reads the tag at the start of `text`, which begins with '<'. `size` is 0 if the text is not a tag.
Tag read_tag(std::string_view text);

/// Returns the names of the closing tags in `text`, as views of it.
std::set<std::string_view> closing_tags(std::string_view text);

/// Returns the length of the bracketed expression at the start of `text`, which begins with '{'; 0 if it has no end
/// within kMaxTagBytes. Braces in quotes do not count.
std::size_t expression_length(std::string_view text);

/// Returns the value of `name="value"` in the parameters of a tag or shortcode; empty if they do not have it.
std::string_view parameter_of(std::string_view parameters, std::string_view name);

}  // namespace kbase::markup
