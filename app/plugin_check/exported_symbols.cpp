// SPDX-License-Identifier: Apache-2.0
#include "app/plugin_check/exported_symbols.hpp"

#include <link.h>

#include <cstring>
#include <optional>
#include <set>
#include <string_view>

namespace kbase::plugin_check {
namespace {

using Bytes = std::span<const std::byte>;

template <class T>
std::optional<T> read_at(Bytes bytes, std::uint64_t offset) {
  if (offset > bytes.size() || bytes.size() - offset < sizeof(T)) return std::nullopt;
  T value;
  std::memcpy(&value, bytes.data() + offset, sizeof value);
  return value;
}

Bytes part(Bytes bytes, std::uint64_t offset, std::uint64_t size) {
  if (offset > bytes.size()) return {};
  return bytes.subspan(offset, std::min<std::uint64_t>(size, bytes.size() - offset));
}

std::string text_at(Bytes strings, std::uint64_t offset) {
  if (offset >= strings.size()) return {};
  const char* text = reinterpret_cast<const char*>(strings.data()) + offset;
  return std::string(text, ::strnlen(text, strings.size() - offset));
}

bool is_export(const ElfW(Sym) & symbol) {
  const unsigned binding = ELF64_ST_BIND(symbol.st_info);  // same macro for both classes
  const unsigned visibility = ELF64_ST_VISIBILITY(symbol.st_other);
  const bool is_defined = symbol.st_shndx != SHN_UNDEF && symbol.st_shndx != SHN_ABS;  // ABS: the name of a version
  return is_defined && binding != STB_LOCAL && (visibility == STV_DEFAULT || visibility == STV_PROTECTED);
}

std::vector<std::string> names_in(Bytes elf, const ElfW(Shdr) & table, const ElfW(Shdr) & text) {
  static const std::set<std::string_view> kLinkers{"_init", "_fini", "_edata", "_end", "__bss_start"};
  const Bytes symbols = part(elf, table.sh_offset, table.sh_size);
  const Bytes strings = part(elf, text.sh_offset, text.sh_size);
  std::vector<std::string> names;
  for (std::uint64_t at = 0; const auto symbol = read_at<ElfW(Sym)>(symbols, at); at += sizeof(ElfW(Sym))) {
    std::string name = text_at(strings, symbol->st_name);
    if (is_export(*symbol) && !kLinkers.contains(name)) names.push_back(std::move(name));
  }
  return names;
}

}  // namespace

std::vector<std::string> exported_symbols(Bytes elf) {
  const auto header = read_at<ElfW(Ehdr)>(elf, 0);
  if (!header || header->e_shentsize != sizeof(ElfW(Shdr))) return {};
  const auto section = [&](std::uint64_t number) {
    return read_at<ElfW(Shdr)>(elf, header->e_shoff + number * sizeof(ElfW(Shdr)));
  };
  for (std::uint64_t number = 0; number < header->e_shnum; ++number) {
    const auto table = section(number);
    if (!table || table->sh_type != SHT_DYNSYM) continue;
    if (const auto text = section(table->sh_link)) return names_in(elf, *table, *text);
  }
  return {};
}

}  // namespace kbase::plugin_check
