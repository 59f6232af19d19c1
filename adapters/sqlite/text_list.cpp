// SPDX-License-Identifier: Apache-2.0
#include "adapters/sqlite/text_list.hpp"

namespace kbase::sqlite::text_list {

void pack(model::TextList list, std::vector<std::uint8_t>& packed) {
  packed.clear();
  for (const std::string_view text : list) {
    std::size_t length = text.size();
    for (; length >= 0x80; length >>= 7) packed.push_back(static_cast<std::uint8_t>(length | 0x80));
    packed.push_back(static_cast<std::uint8_t>(length));
    packed.insert(packed.end(), text.begin(), text.end());
  }
}

bool unpack(std::span<const std::uint8_t> packed, std::vector<std::string_view>& list) {
  list.clear();
  for (std::size_t at = 0; at < packed.size();) {
    std::uint64_t length = 0;
    for (unsigned shift = 0;; shift += 7) {
      if (at == packed.size() || shift > 56) return false;
      const std::uint8_t byte = packed[at++];
      length |= static_cast<std::uint64_t>(byte & 0x7F) << shift;
      if ((byte & 0x80) == 0) break;
    }
    if (length > packed.size() - at) return false;
    list.emplace_back(reinterpret_cast<const char*>(packed.data() + at), static_cast<std::size_t>(length));
    at += static_cast<std::size_t>(length);
  }
  return true;
}

}  // namespace kbase::sqlite::text_list
