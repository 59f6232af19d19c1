// SPDX-License-Identifier: Apache-2.0
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "adapters/text/excerpt.hpp"
#include "domain/base/text.hpp"
#include "domain/model/item.hpp"

namespace text = kbase::text;

/// The input is a query, a NUL and the content as any bytes. An excerpt is valid UTF-8 and within the length
/// limit, also that of a part of the content.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static text::Analyzer analyzer;
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  const std::size_t end = input.find('\0');
  if (end == std::string_view::npos) return 0;
  const auto node = kbase::model::parse_query(input.substr(0, end));
  if (!node) return 0;
  const text::Language english[] = {*text::find_language("en")};
  const text::ExcerptMaker maker(text::analyze_query(analyzer, *node, english));
  const std::string_view content = input.substr(end + 1);
  const std::size_t part = content.size() / 3;
  for (const auto& source :
       {text::ExcerptSource(content), text::ExcerptSource(content.substr(part, part), part, true, content.size())}) {
    const std::string excerpt = maker.make(analyzer, source, english[0]).text;
    if (!kbase::utf8::is_valid(excerpt) || kbase::utf8::code_points(excerpt) > kbase::model::kExcerptCodePoints)
      std::abort();
  }
  return 0;
}
