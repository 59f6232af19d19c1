// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string>

#include "adapters/markup/html_parser.hpp"
#include "adapters/markup/html_text.hpp"
#include "domain/base/text.hpp"

namespace kbase::markup {
namespace {

/// Collects what the elements of the head say.
struct HeadReader {
  model::PageHead head;
  bool is_title = false;
};

std::string_view attribute(const xmlChar** list, std::string_view name) {
  for (; list != nullptr && list[0] != nullptr; list += 2)
    if (view_of(list[0]) == name) return view_of(list[1]);
  return {};
}

std::vector<std::string> split(std::string_view words) {
  std::vector<std::string> list;
  while (!words.empty()) {
    const std::size_t end = std::min(words.find(','), words.size());
    if (const std::string_view word = utf8::trimmed(words.substr(0, end)); !word.empty()) list.emplace_back(word);
    words.remove_prefix(std::min(end + 1, words.size()));
  }
  return list;
}

void read_meta(model::PageHead& head, const xmlChar** attributes) {
  const std::string name = ascii::to_lower(attribute(attributes, "name"));
  const std::string_view property = attribute(attributes, "property");
  const std::string_view content = utf8::trimmed(attribute(attributes, "content"));
  if (name == "description" || (property == "og:description" && head.description.empty())) head.description = content;
  if (name == "author") head.author = content;
  if (name == "keywords") head.keywords = split(content);
  if (property == "article:published_time" || name == "date" || name == "dcterms.created") head.published = content;
  if (property == "article:modified_time" || name == "last-modified" || name == "dcterms.modified")
    head.modified = content;
  if (name == "robots" && content.find("noindex") != std::string_view::npos) head.is_hidden = true;
}

void on_start(void* data, const xmlChar* name, const xmlChar** attributes) {
  auto& reader = *static_cast<HeadReader*>(data);
  const std::string_view element = view_of(name);
  if (element == "html") reader.head.language = attribute(attributes, "lang");
  if (element == "meta") read_meta(reader.head, attributes);
  if (element == "link" && attribute(attributes, "rel") == "canonical")
    reader.head.canonical = attribute(attributes, "href");
  reader.is_title = element == "title" && reader.head.title.empty();
}

void on_end(void* data, const xmlChar*) { static_cast<HeadReader*>(data)->is_title = false; }

void on_characters(void* data, const xmlChar* text, int length) {
  auto& reader = *static_cast<HeadReader*>(data);
  if (reader.is_title) reader.head.title.append(reinterpret_cast<const char*>(text), static_cast<std::size_t>(length));
}

/// Returns the text up to the body.
std::string_view head_of(std::string_view html) {
  constexpr std::string_view kBody = "<body";
  const auto equal = [](char a, char b) { return ascii::to_lower(a) == b; };
  const auto body = std::search(html.begin(), html.end(), kBody.begin(), kBody.end(), equal);
  return {html.begin(), body};
}

}  // namespace

model::PageHead html_head(std::string_view html) {
  HeadReader reader;
  htmlSAXHandler handler{};
  handler.startElement = on_start;
  handler.endElement = on_end;
  handler.characters = on_characters;
  if (is_html_page(html)) parse_html(head_of(html), handler, &reader);
  return std::move(reader.head);
}

}  // namespace kbase::markup
