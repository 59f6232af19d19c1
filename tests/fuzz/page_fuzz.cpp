// SPDX-License-Identifier: Apache-2.0
// Any file of a folder parses to an item with valid members, is left out, or is rejected with a reason.
#include <cstdint>
#include <cstdlib>

#include "adapters/content/page_reader.hpp"
#include "adapters/markup/library_markup.hpp"
#include "domain/base/text.hpp"
#include "domain/model/ids.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace kbase;
  if (size == 0) return 0;
  const std::string_view text(reinterpret_cast<const char*>(data + 1), size - 1);
  const markup::LibraryMarkup markup;
  content::PageReader reader(markup, model::Day(std::chrono::days(20'000)), data[0] % 2 == 0);
  content::PageFile file;
  file.id = "folder/file";
  file.category = "folder";
  file.name = "File";
  file.format = static_cast<model::Format>(data[0] / 2 % 3);
  const auto outcome = reader.read(text, file, [](std::string_view body) { return body; });
  if (const auto* defect = std::get_if<content::PageReader::Defect>(&outcome))
    if (defect->reason.empty()) std::abort();
  if (const auto* item = std::get_if<ports::ItemRecord>(&outcome)) {
    if (!model::id_defect(item->id).empty() || !model::id_defect(item->category).empty()) std::abort();
    if (!item->url.empty() && !model::is_page_address(item->url)) std::abort();
    if (!item->language.empty() && !model::is_language(item->language)) std::abort();
    for (const std::string_view* const member : model::text_members(*item))
      if (!utf8::is_valid(*member)) std::abort();
    if (item->metadata.extra.size() > model::kMaxExtraBytes) std::abort();
  }
  return 0;
}
