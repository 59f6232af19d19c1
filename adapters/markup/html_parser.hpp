// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <libxml/HTMLparser.h>

#include <memory>
#include <string_view>

namespace kbase::markup {

inline std::string_view view_of(const xmlChar* text) {
  return text == nullptr ? std::string_view() : reinterpret_cast<const char*>(text);
}

/// Parses UTF-8 text as HTML and passes the events to `handler`, with `data` as their first argument. Builds no tree.
/// Errors of the text are corrected as libxml2 does. A text of more than 2 GiB has no events.
void parse_html(std::string_view html, const htmlSAXHandler& handler, void* data);

/// Parses as above. Calls start(name, attributes), end(name) and characters(text) of `reader`; the attributes are names
/// and values in turn, ended by null, or null.
template <class Reader> void read_html(std::string_view html, Reader& reader) {
  htmlSAXHandler handler{};
  handler.startElement = [](void* self, const xmlChar* name, const xmlChar** attributes) {
    static_cast<Reader*>(self)->start(view_of(name), attributes);
  };
  handler.endElement = [](void* self, const xmlChar* name) { static_cast<Reader*>(self)->end(view_of(name)); };
  handler.characters = [](void* self, const xmlChar* text, int length) {
    static_cast<Reader*>(self)->characters({reinterpret_cast<const char*>(text), static_cast<std::size_t>(length)});
  };
  handler.ignorableWhitespace = handler.characters;
  handler.cdataBlock = handler.characters;
  parse_html(html, handler, &reader);
}

struct HtmlTreeDeleter {
  void operator()(xmlDoc* tree) const { xmlFreeDoc(tree); }
};
using HtmlTree = std::unique_ptr<xmlDoc, HtmlTreeDeleter>;

/// Parses as parse_html() does, to a tree. Null: the text is empty or has more than 2 GiB.
HtmlTree parse_html_tree(std::string_view html);

}  // namespace kbase::markup
