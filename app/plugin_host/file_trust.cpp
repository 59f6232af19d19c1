// SPDX-License-Identifier: Apache-2.0
#include "app/plugin_host/file_trust.hpp"

#include <elf.h>
#include <kbase/base.h>
#include <pwd.h>
#include <sys/stat.h>
#include <unistd.h>
#include <array>
#include <bit>
#include <cerrno>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include "app/plugin_host/descriptor_check.hpp"
#include "domain/base/result.hpp"

namespace kbase::plugin_host {
namespace {

namespace fs = std::filesystem;

constexpr uid_t kRoot = 0;

struct User {
  std::string name;
  gid_t primary_group;
};

std::optional<User> user_of(uid_t id) {
  std::array<char, 16 * 1024> text;
  passwd entry{};
  passwd* found = nullptr;
  if (::getpwuid_r(id, &entry, text.data(), text.size(), &found) != 0 || found == nullptr) return std::nullopt;
  return User{entry.pw_name, entry.pw_gid};
}

std::string name_of(uid_t id) {
  const auto user = user_of(id);
  return user ? user->name : "user " + std::to_string(id);
}

/// For a user who is missing from the user database, as in many containers, compares with the process's group.
bool is_primary_group(gid_t group, uid_t owner) {
  if (const auto user = user_of(owner)) return user->primary_group == group;
  return owner == ::geteuid() && group == ::getegid();
}

std::string owners_text(const TrustedOwners& owners) {
  std::string text = "root";
  if (owners.server != kRoot) text += " or " + name_of(owners.server);
  if (owners.program != kRoot && owners.program != owners.server) text += " or " + name_of(owners.program);
  return text;
}

/// Checks one path: the file itself or a folder above it. `subject` names it in the error message.
Status judge(const fs::path& place, const std::string& subject, const TrustedOwners& owners) {
  struct stat status {};
  if (::lstat(place.c_str(), &status) != 0) return refusal("cannot be read: " + std::string(std::strerror(errno)));
  const bool is_trusted = status.st_uid == kRoot || status.st_uid == owners.server || status.st_uid == owners.program;
  if (!is_trusted)
    return refusal(subject + " owned by " + name_of(status.st_uid) + ", where only " + owners_text(owners) +
                   " may put code before the server; chown it, or move the plugin");
  const bool is_sticky_folder = S_ISDIR(status.st_mode) && (status.st_mode & S_ISVTX) != 0;
  if ((status.st_mode & S_IWOTH) != 0 && !is_sticky_folder)
    return refusal(subject + " writable by everybody; take that away with chmod o-w " + place.string());
  if ((status.st_mode & S_IWGRP) != 0 && !is_primary_group(status.st_gid, status.st_uid))
    return refusal(subject +
                   " writable by a group that is not its owner's primary one; take that away with chmod g-w " +
                   place.string());
  return {};
}

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
template <class T> std::optional<T> read(Bytes bytes, std::uint64_t offset) {
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

TrustedOwners owners_of_this_process() {
  struct stat status {};
  const bool known = ::stat("/proc/self/exe", &status) == 0;
  return {::geteuid(), known ? status.st_uid : ::geteuid()};
}

Result<fs::path> trusted_file(const fs::path& path, const TrustedOwners& owners) {
  if (!path.is_absolute()) return refusal("is not an absolute path; write the whole path, from /");
  std::error_code failed;
  const fs::path file = fs::canonical(path, failed);
  if (failed) return refusal("cannot be read: " + failed.message() + "; correct the path");
  if (!fs::is_regular_file(file, failed)) return refusal("is not a file; name the shared object itself");

  const bool is_link = file != path.lexically_normal();
  KBASE_TRY(judge(file, is_link ? "leads to " + file.string() + ", which is" : "is", owners));
  for (fs::path folder = file.parent_path();; folder = folder.parent_path()) {
    KBASE_TRY(judge(folder, "lies below " + folder.string() + ", which is", owners));
    if (folder == folder.root_path()) return file;
  }
}

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
