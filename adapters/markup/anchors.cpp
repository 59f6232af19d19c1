// SPDX-License-Identifier: Apache-2.0
#include "adapters/markup/anchors.hpp"

#include <utf8proc.h>

#include <utility>

namespace kbase::markup {
namespace {

bool is_kept(utf8proc_int32_t character) {
  switch (utf8proc_category(character)) {
    case UTF8PROC_CATEGORY_LU:
    case UTF8PROC_CATEGORY_LL:
    case UTF8PROC_CATEGORY_LT:
    case UTF8PROC_CATEGORY_LM:
    case UTF8PROC_CATEGORY_LO:
    case UTF8PROC_CATEGORY_MN:
    case UTF8PROC_CATEGORY_MC:
    case UTF8PROC_CATEGORY_ME:
    case UTF8PROC_CATEGORY_ND:
    case UTF8PROC_CATEGORY_NL:
    case UTF8PROC_CATEGORY_PC: return true;
    default: return character == '-';
  }
}

void append(std::string& text, utf8proc_int32_t character) {
  utf8proc_uint8_t bytes[4];
  const auto length = utf8proc_encode_char(character, bytes);
  text.append(reinterpret_cast<const char*>(bytes), static_cast<std::size_t>(length));
}

}  // namespace

std::string slug_of(std::string_view heading) {
  std::string slug;
  while (!heading.empty()) {
    const char first = heading.front();
    if (static_cast<unsigned char>(first) < 0x80) {
      if (ascii::is_alphanumeric(first) || first == '-' || first == '_') slug += ascii::to_lower(first);
      if (first == ' ') slug += '-';
      heading.remove_prefix(1);
      continue;
    }
    utf8proc_int32_t character = 0;
    const auto length = utf8proc_iterate(reinterpret_cast<const utf8proc_uint8_t*>(heading.data()),
                                         static_cast<utf8proc_ssize_t>(heading.size()), &character);
    if (length > 0 && is_kept(character)) append(slug, utf8proc_tolower(character));
    heading.remove_prefix(length > 0 ? static_cast<std::size_t>(length) : 1);
  }
  return slug;
}

std::string Anchors::add(std::string anchor) {
  const auto [entry, is_new] = used_.emplace(anchor, 0);
  if (is_new) return anchor;
  for (unsigned number = entry->second + 1;; ++number) {
    std::string numbered = anchor + '-' + std::to_string(number);
    if (!used_.emplace(numbered, 0).second) continue;
    used_[anchor] = number;
    return numbered;
  }
}

}  // namespace kbase::markup
