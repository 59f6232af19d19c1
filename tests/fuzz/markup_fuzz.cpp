// SPDX-License-Identifier: Apache-2.0
// Any text has a document: valid UTF-8, with sections in order within the text and anchors that occur once.
#include <cstdint>
#include <cstdlib>
#include <set>
#include <string>

#include "adapters/markup/library_markup.hpp"
#include "adapters/markup/markdown_text.hpp"
#include "domain/base/text.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace kbase;
  if (size == 0) return 0;
  const std::string_view text(reinterpret_cast<const char*>(data + 1), size - 1);
  if (!utf8::is_valid(text)) return 0;
  const markup::LibraryMarkup markup;
  const auto plain = markup::plain_markdown(text);
  const auto direct = markup::markdown_document(plain), by_html = markup::markdown_document_by_html(plain);
  if (direct.text != by_html.text || direct.sections != by_html.sections) std::abort();
  const model::Document document = markup.document(text, static_cast<model::Format>(data[0] % 3));
  if (!utf8::is_valid(document.text) || !utf8::is_valid(document.heading)) std::abort();
  std::set<std::string> anchors;
  std::size_t last = 0;
  for (const model::Section& section : document.sections) {
    if (section.begin < last || section.begin > document.text.size()) std::abort();
    last = section.begin;
    if (section.heading.empty() || section.level == 0 || section.level > model::kMaxSectionLevel) std::abort();
    if (!anchors.insert(section.anchor).second) std::abort();
    const auto decoded = model::decode_section(model::encode_section(section));
    if (!decoded || *decoded != section) std::abort();
  }
  if (!utf8::is_valid(markup.line(text))) std::abort();
  return 0;
}
