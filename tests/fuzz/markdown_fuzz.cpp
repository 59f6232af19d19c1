// SPDX-License-Identifier: Apache-2.0
// Any Markdown file parses to an item with its body as content, or is rejected with a reason.
#include <cstdint>
#include <cstdlib>

#include "adapters/content/markdown.hpp"
#include "domain/base/text.hpp"
#include "domain/model/ids.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace kbase;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  content::MarkdownParser parser;
  const content::Record record = parser.item(text, {"file", "folder"});
  if (const auto* item = std::get_if<ports::ItemRecord>(&record)) {
    if (!text.ends_with(item->content) || !model::id_defect(item->id).empty()) std::abort();
    if (!utf8::is_valid(item->metadata.extra) || item->metadata.extra.size() > model::kMaxExtraBytes) std::abort();
  }
  parser.category(text, "folder");
  return 0;
}
