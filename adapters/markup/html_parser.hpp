// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <libxml/HTMLparser.h>

#include <memory>
#include <string_view>

namespace kbase::markup {

/// Parses UTF-8 text as HTML and passes the events to `handler`, with `data` as their first argument. Builds no tree.
/// Errors of the text are corrected as libxml2 does. A text of more than 2 GiB has no events.
void parse_html(std::string_view html, const htmlSAXHandler& handler, void* data);

struct HtmlTreeDeleter {
  void operator()(xmlDoc* tree) const { xmlFreeDoc(tree); }
};
using HtmlTree = std::unique_ptr<xmlDoc, HtmlTreeDeleter>;

/// Parses as parse_html() does, to a tree. Null: the text is empty or has more than 2 GiB.
HtmlTree parse_html_tree(std::string_view html);

inline std::string_view view_of(const xmlChar* text) {
  return text == nullptr ? std::string_view() : reinterpret_cast<const char*>(text);
}

}  // namespace kbase::markup
