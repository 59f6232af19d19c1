// SPDX-License-Identifier: Apache-2.0
#include "app/plugin_host/elf_file.hpp"

#include <elf.h>
#include <kbase/base.h>

#include <array>
#include <bit>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>

#include "app/plugin_host/refusal.hpp"
#include "domain/base/result.hpp"

namespace kbase::plugin_host {
namespace {

using Bytes = std::span<const std::byte>;
using Header = Elf64_Ehdr;
using Segment = Elf64_Phdr;

constexpr bool kLittleEndian = std::endian::native == std::endian::little;

Error cut_short() { return refusal("is cut short or damaged; copy or build it again"); }

/// Returns `size` bytes at `offset`; nullopt: the file is too short.
std::optional<Bytes> slice(Bytes bytes, std::uint64_t offset, std::uint64_t size) {
  if (offset > bytes.size() || size > bytes.size() - offset) return std::nullopt;
  return bytes.subspan(offset, size);
}

/// Copies a struct out of the file, because it may be unaligned.
template <class T>
std::optional<T> read(Bytes bytes, std::uint64_t offset) {
  const auto found = slice(bytes, offset, sizeof(T));
  if (!found) return std::nullopt;
  T value;
  std::memcpy(&value, found->data(), sizeof(T));
  return value;
}

/// Reads a 16-bit number in the byte order of the file, which may differ from ours.
std::optional<std::uint16_t> read_half(Bytes bytes, std::uint64_t offset, bool little_endian) {
  const auto half = read<std::uint16_t>(bytes, offset);
  if (!half || little_endian == kLittleEndian) return half;
  return static_cast<std::uint16_t>(*half << 8 | *half >> 8);
}

constexpr std::uint64_t padded(std::uint64_t size) { return (size + 3) / 4 * 4; }

/// Finds the plugin note in a note segment. Each note is a header, a name and a descriptor, padded to four bytes.
std::optional<AbiNote> find_note(Bytes notes) {
  constexpr std::string_view kName("kbase\0", 6);
  std::array<std::uint32_t, 3> words{};
  std::uint64_t at = 0;
  while (const auto header = read<Elf64_Nhdr>(notes, at)) {
    const std::uint64_t name_at = at + sizeof(Elf64_Nhdr);
    const std::uint64_t descriptor_at = name_at + padded(header->n_namesz);
    const auto name = slice(notes, name_at, header->n_namesz);
    const auto descriptor = slice(notes, descriptor_at, header->n_descsz);
    if (!name || !descriptor) return std::nullopt;
    const bool is_ours = header->n_type == KB_NOTE_TYPE && name->size() == kName.size() &&
                         std::memcmp(name->data(), kName.data(), kName.size()) == 0;
    if (is_ours && descriptor->size() >= sizeof(words)) {
      std::memcpy(words.data(), descriptor->data(), sizeof(words));
      return AbiNote{words[0], words[1], words[2]};
    }
    at = descriptor_at + padded(header->n_descsz);
  }
  return std::nullopt;
}

/// Reads the segments. An incomplete segment is an error: the loader would touch memory behind the end of the file,
/// which causes SIGBUS.
Status read_segments(Bytes bytes, const Header& header, ElfFile& file) {
  const auto table = slice(bytes, header.e_phoff, std::uint64_t{header.e_phnum} * sizeof(Segment));
  if (!table || header.e_phentsize != sizeof(Segment)) return cut_short();
  bool says_stack = false;
  for (std::uint64_t at = 0; const auto segment = read<Segment>(*table, at); at += sizeof(Segment)) {
    const auto content = slice(bytes, segment->p_offset, segment->p_filesz);
    if (!content) return cut_short();
    if (segment->p_type == PT_NOTE && !file.note) file.note = find_note(*content);
    if (segment->p_type == PT_GNU_STACK) {
      says_stack = true;
      file.has_executable_stack |= (segment->p_flags & PF_X) != 0;
    }
  }
  if (!says_stack) file.has_executable_stack = true;
  return {};
}

/// Linkers write the section headers last, so they show whether the end of the file is present.
bool has_its_end(Bytes bytes, const Header& header) {
  return header.e_shoff == 0 ||
         slice(bytes, header.e_shoff, std::uint64_t{header.e_shnum} * header.e_shentsize).has_value();
}

/// This program's ELF header, which the linker keeps in memory.
extern "C" const Header __ehdr_start __attribute__((visibility("hidden")));

}  // namespace

std::uint16_t own_machine() { return __ehdr_start.e_machine; }

Result<ElfFile> read_elf(std::span<const std::byte> bytes) {
  const auto magic = slice(bytes, 0, SELFMAG);
  if (!magic || std::memcmp(magic->data(), ELFMAG, SELFMAG) != 0)
    return refusal("is not an ELF file; name a shared object that was built as a kbase plugin");
  const auto ident = slice(bytes, 0, EI_NIDENT);
  if (!ident) return cut_short();
  const bool is_64_bit = (*ident)[EI_CLASS] == std::byte{ELFCLASS64};
  const bool is_little_endian = (*ident)[EI_DATA] == std::byte{ELFDATA2LSB};
  const auto machine = read_half(bytes, offsetof(Header, e_machine), is_little_endian);
  if (!machine) return cut_short();
  ElfFile file;
  file.bits = is_64_bit ? 64 : 32;
  file.machine = *machine;
  file.is_native = is_64_bit && is_little_endian == kLittleEndian && *machine == own_machine();
  if (!file.is_native) return file;

  const auto header = read<Header>(bytes, 0);
  if (!header || !has_its_end(bytes, *header)) return cut_short();
  file.type = header->e_type;
  KBASE_TRY(read_segments(bytes, *header, file));
  return file;
}

std::string machine_name(std::uint16_t machine) {
  constexpr std::array<std::pair<std::uint16_t, const char*>, 8> kNames{{{EM_386, "x86"},
                                                                         {EM_X86_64, "x86-64"},
                                                                         {EM_ARM, "ARM"},
                                                                         {EM_AARCH64, "AArch64"},
                                                                         {EM_RISCV, "RISC-V"},
                                                                         {EM_PPC64, "PowerPC"},
                                                                         {EM_S390, "s390x"},
                                                                         {EM_LOONGARCH, "LoongArch"}}};
  for (const auto& [number, name] : kNames)
    if (number == machine) return name;
  return "machine " + std::to_string(machine);
}

}  // namespace kbase::plugin_host
