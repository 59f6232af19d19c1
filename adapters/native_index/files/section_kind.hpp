// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

namespace kbase::native_index {

/// Kind of a section: four characters, readable in hex dumps and in damage reports.
enum class SectionKind : std::uint32_t {};

consteval SectionKind section_kind(const char (&name)[5]) {
  std::uint32_t code = 0;
  for (int i = 3; i >= 0; --i) code = code << 8 | static_cast<unsigned char>(name[i]);
  return SectionKind{code};
}

/// Returns the four characters; unprintable ones, which only a damaged file has, as '?'.
inline std::string name_of(SectionKind kind) {
  std::string name;
  for (unsigned shift = 0; shift < 32; shift += 8) {
    const auto byte = static_cast<unsigned char>(static_cast<std::uint32_t>(kind) >> shift);
    name.push_back(byte > ' ' && byte < 0x7F ? static_cast<char>(byte) : '?');
  }
  return name;
}

}  // namespace kbase::native_index
