// SPDX-License-Identifier: Apache-2.0
#include "adapters/text/folding.hpp"

#include <utf8proc.h>

#include <cstdlib>
#include <memory>

namespace kbase::text {
namespace {

bool is_dropped_mark(std::int32_t c) {
  return (c >= 0x0300 && c <= 0x036F) ||                                               // combining diacritical marks
         (c >= 0x0591 && c <= 0x05C7 && c != 0x05BE && c != 0x05C0 && c != 0x05C3) ||  // Hebrew points
         c == 0x0640 || (c >= 0x064B && c <= 0x065F) || c == 0x0670;                   // Arabic tatweel, vowel signs
}

/// Returns the ASCII spelling of a letter without decomposition, or an empty text if it has none.
std::string_view typed_as(std::int32_t c) {
  switch (c) {
    case 0x00E6:
      return "ae";
    case 0x00F0:
    case 0x0111:
      return "d";
    case 0x00F8:
      return "o";
    case 0x00FE:
      return "th";
    case 0x0127:
      return "h";
    case 0x0131:
      return "i";
    case 0x0142:
      return "l";
    case 0x0153:
      return "oe";
    case 0x0167:
      return "t";
    default:
      return {};
  }
}

std::string mapped(std::string_view text, int options) {
  utf8proc_uint8_t* buffer = nullptr;
  const utf8proc_ssize_t bytes =
      utf8proc_map(reinterpret_cast<const utf8proc_uint8_t*>(text.data()), static_cast<utf8proc_ssize_t>(text.size()),
                   &buffer, static_cast<utf8proc_option_t>(options));
  const std::unique_ptr<utf8proc_uint8_t, void (*)(void*)> owner(buffer, std::free);
  if (bytes < 0) return std::string(text);
  return {reinterpret_cast<const char*>(buffer), static_cast<std::size_t>(bytes)};
}

}  // namespace

std::string case_folded(std::string_view word) {
  return mapped(word, UTF8PROC_STABLE | UTF8PROC_COMPOSE | UTF8PROC_COMPAT | UTF8PROC_CASEFOLD | UTF8PROC_IGNORE);
}

std::string accent_folded(std::string_view word) {
  const std::string decomposed = mapped(word, UTF8PROC_STABLE | UTF8PROC_DECOMPOSE);
  std::string kept;
  bool ascii = true;
  for (std::size_t i = 0; i < decomposed.size();) {
    std::int32_t c = 0;
    const utf8proc_ssize_t bytes = utf8proc_iterate(reinterpret_cast<const utf8proc_uint8_t*>(decomposed.data()) + i,
                                                    static_cast<utf8proc_ssize_t>(decomposed.size() - i), &c);
    if (bytes <= 0) break;
    const std::string_view typed = typed_as(c);
    if (!typed.empty()) {
      kept += typed;
    } else if (!is_dropped_mark(c)) {
      kept.append(decomposed, i, static_cast<std::size_t>(bytes));
      ascii = ascii && c < 0x80;
    }
    i += static_cast<std::size_t>(bytes);
  }
  return ascii ? kept : mapped(kept, UTF8PROC_STABLE | UTF8PROC_COMPOSE);
}

}  // namespace kbase::text
