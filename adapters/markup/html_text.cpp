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

/// Passes the elements to the writer of a document.
class TextReader {
 public:
  TextReader(bool is_page, bool has_main) : writer_(is_page, has_main) {}

  void start(std::string_view name, const xmlChar** attributes) {
    writer_.start(role_of(name), name, read_attributes(attributes));
  }
  void end(std::string_view name) { writer_.end(role_of(name)); }
  void characters(std::string_view text) { writer_.characters(text); }

  model::Document take() && { return std::move(writer_).take(); }

 private:
  DocumentWriter writer_;
};

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
  TextReader reader(is_page, is_page && has_main_part(html));
  read_html(html, reader);
  return std::move(reader).take();
}

}  // namespace kbase::markup
