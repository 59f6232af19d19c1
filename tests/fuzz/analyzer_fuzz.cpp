// SPDX-License-Identifier: Apache-2.0
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "adapters/text/analyzer.hpp"
#include "adapters/text/language.hpp"
#include "domain/base/text.hpp"

namespace text = kbase::text;

/// Any bytes in any language: tokens lie within the text, are valid UTF-8 and are in order.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static text::Analyzer analyzer;
  if (size == 0) return 0;
  const auto language = static_cast<text::Language>(data[0] % text::kLanguages);
  const std::string_view source(reinterpret_cast<const char*>(data + 1), size - 1);
  std::uint32_t words = 0;
  analyzer.analyze(source, language, [&](const text::Token& token) {
    if (token.is_word()) ++words;
    const bool sound = token.begin < token.end && token.end <= source.size() && token.position + 1 == words &&
                       !token.exact.empty() && kbase::utf8::is_valid(token.exact) &&
                       !kbase::utf8::has_control(token.exact);
    if (!sound) std::abort();
  });
  text::detect_language(source, source);
  text::detect_language(source, {});
  return 0;
}
