// SPDX-License-Identifier: Apache-2.0
#include "adapters/markup/html_text.hpp"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "adapters/markup/document_writer.hpp"
#include "adapters/markup/html_elements.hpp"
#include "adapters/markup/html_parser.hpp"
#include "domain/base/text.hpp"

namespace kbase::markup {
namespace {

constexpr auto npos = std::string_view::npos;

void on_start(void* writer, const xmlChar* name, const xmlChar** attributes) {
  const std::string_view element = view_of(name);
  static_cast<DocumentWriter*>(writer)->start(role_of(element), element, read_attributes(attributes));
}
void on_end(void* writer, const xmlChar* name) { static_cast<DocumentWriter*>(writer)->end(role_of(view_of(name))); }
void on_characters(void* writer, const xmlChar* text, int length) {
  static_cast<DocumentWriter*>(writer)->characters(
      {reinterpret_cast<const char*>(text), static_cast<std::size_t>(length)});
}

/// Whether `html` has the tag, which begins with '<' and is in lower case.
bool contains(std::string_view html, std::string_view tag) {
  for (std::size_t at = html.find('<'); at != npos; at = html.find('<', at + 1)) {
    const std::string_view found = html.substr(at, tag.size());
    const auto equal = [](char a, char b) { return ascii::to_lower(a) == b; };
    if (!std::equal(found.begin(), found.end(), tag.begin(), tag.end(), equal)) continue;
    return at + tag.size() == html.size() || html[at + tag.size()] == '>' || is_space(html[at + tag.size()]);
  }
  return false;
}

}  // namespace

bool is_html_page(std::string_view html) {
  const std::string_view start = html.substr(0, 4096);
  return contains(start, "<!doctype") || contains(start, "<html") || contains(start, "<body") ||
         contains(start, "<head");
}

bool has_main_part(std::string_view page) { return contains(page, "<main") || contains(page, "<article"); }

model::Document html_document(std::string_view html) {
  const bool is_page = is_html_page(html);
  DocumentWriter writer(is_page, is_page && has_main_part(html));
  htmlSAXHandler handler{};
  handler.startElement = on_start;
  handler.endElement = on_end;
  handler.characters = on_characters;
  handler.ignorableWhitespace = on_characters;
  handler.cdataBlock = on_characters;
  parse_html(html, handler, &writer);
  return std::move(writer).take();
}

}  // namespace kbase::markup
