// SPDX-License-Identifier: Apache-2.0
#include "app/plugin_host/file_trust.hpp"

#include <elf.h>
#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>

#include "tests/support/outcome.hpp"

namespace kbase::plugin_host {
namespace {

Result<ElfFile> read(std::string_view bytes) { return read_elf(std::as_bytes(std::span(bytes.data(), bytes.size()))); }

/// ELF note: header, name and descriptor, each padded to four bytes.
std::string note(std::string_view name, std::uint32_t type, std::string_view descriptor) {
  const Elf64_Nhdr header{static_cast<Elf64_Word>(name.size()), static_cast<Elf64_Word>(descriptor.size()), type};
  std::string bytes(reinterpret_cast<const char*>(&header), sizeof(header));
  bytes.append(name).resize((bytes.size() + 3) / 4 * 4);
  bytes.append(descriptor).resize((bytes.size() + 3) / 4 * 4);
  return bytes;
}

const std::string_view kName("kbase\0", 6);

std::string versions(std::uint32_t major, std::uint32_t minor, std::uint32_t needs_minor) {
  const std::uint32_t words[4] = {major, minor, needs_minor, 0};
  return {reinterpret_cast<const char*>(words), sizeof(words)};
}

/// ELF file of this machine with only two segments: a stack and notes.
struct GeneratedElf {
  Elf64_Ehdr header{};
  Elf64_Phdr stack{}, notes{};
  std::string content;

  explicit GeneratedElf(std::string note_bytes) : content(std::move(note_bytes)) {
    std::memcpy(header.e_ident, ELFMAG, SELFMAG);
    header.e_ident[EI_CLASS] = ELFCLASS64;
    header.e_ident[EI_DATA] = ELFDATA2LSB;
    header.e_type = ET_DYN;
    header.e_machine = own_machine();
    header.e_phoff = sizeof(header);
    header.e_phentsize = sizeof(Elf64_Phdr);
    header.e_phnum = 2;
    stack.p_type = PT_GNU_STACK;
    stack.p_flags = PF_R | PF_W;
    notes.p_type = PT_NOTE;
    notes.p_offset = sizeof(header) + 2 * sizeof(Elf64_Phdr);
    notes.p_filesz = content.size();
  }

  std::string bytes() const {
    std::string all(reinterpret_cast<const char*>(&header), sizeof(header));
    all.append(reinterpret_cast<const char*>(&stack), sizeof(stack));
    all.append(reinterpret_cast<const char*>(&notes), sizeof(notes));
    return all + content;
  }
};

std::string cut_short(const GeneratedElf& elf) {
  const auto file = read(elf.bytes());
  return file ? "it was read" : file.error().message;
}

const std::string kCutShort = "is cut short or damaged; copy or build it again";

TEST(ElfFile, ReturnsTheAbiOfItsNote) {
  const auto file = read(GeneratedElf(note(kName, 1, versions(1, 4, 2))).bytes());
  ASSERT_TRUE(tests::succeeded(file));
  EXPECT_TRUE(file->is_native);
  EXPECT_EQ(file->type, ET_DYN);
  EXPECT_FALSE(file->has_executable_stack);
  ASSERT_TRUE(file->note);
  EXPECT_EQ(file->note->major, 1u);
  EXPECT_EQ(file->note->minor, 4u);
  EXPECT_EQ(file->note->needs_minor, 2u);
}

TEST(ElfFile, FindsItsNoteAfterOtherNotes) {
  const std::string others = note(std::string_view("GNU\0", 4), 3, "0123456789abcdefghi") +
                             note(kName, 7, versions(9, 9, 9)) + note(kName, 1, "odd") +
                             note("kbases", 1, versions(9, 9, 9)) + std::string(12, '\0');
  const auto file = read(GeneratedElf(others + note(kName, 1, versions(1, 4, 2))).bytes());
  ASSERT_TRUE(tests::succeeded(file));
  ASSERT_TRUE(file->note);
  EXPECT_EQ(file->note->minor, 4u);
}

TEST(ElfFile, HasNoNoteIfSizesExceedTheSegment) {
  for (const Elf64_Word size : {0x1000u, 0x7fffffffu, 0xfffffffcu, 0xffffffffu}) {
    std::string bytes = note(kName, 1, versions(1, 4, 2));
    std::memcpy(bytes.data(), &size, sizeof(size));
    EXPECT_FALSE(read(GeneratedElf(bytes).bytes())->note) << size;
    bytes = note(kName, 1, versions(1, 4, 2));
    std::memcpy(bytes.data() + 4, &size, sizeof(size));
    EXPECT_FALSE(read(GeneratedElf(bytes).bytes())->note) << size;
  }
  EXPECT_FALSE(read(GeneratedElf(note(kName, 1, "shorter").substr(0, 20)).bytes())->note);
}

TEST(ElfFile, RequestsAnExecutableStackByDefault) {
  GeneratedElf elf("");
  elf.stack.p_flags = PF_R | PF_W | PF_X;
  EXPECT_TRUE(read(elf.bytes())->has_executable_stack);
  elf.stack.p_type = PT_NULL;
  EXPECT_TRUE(read(elf.bytes())->has_executable_stack);
}

TEST(ElfFile, IsDamagedIfAnOffsetIsOutOfBounds) {
  for (const std::uint64_t offset : {std::uint64_t{1000}, UINT64_MAX, UINT64_MAX - 56, std::uint64_t{1} << 63}) {
    GeneratedElf elf("");
    elf.header.e_phoff = offset;
    EXPECT_EQ(cut_short(elf), kCutShort);
    elf = GeneratedElf("");
    elf.notes.p_offset = offset;
    EXPECT_EQ(cut_short(elf), kCutShort);
    elf = GeneratedElf("");
    elf.notes.p_filesz = offset;
    EXPECT_EQ(cut_short(elf), kCutShort);
    elf = GeneratedElf("");
    elf.header.e_shoff = offset;
    EXPECT_EQ(cut_short(elf), kCutShort);
  }
}

TEST(ElfFile, IsDamagedIfItsProgramHeadersAreTooManyOrOfAnotherSize) {
  GeneratedElf elf("");
  elf.header.e_phnum = 0xffff;
  EXPECT_EQ(cut_short(elf), kCutShort);
  elf = GeneratedElf("");
  elf.header.e_phentsize = 55;
  EXPECT_EQ(cut_short(elf), kCutShort);
}

TEST(ElfFile, OfAnotherByteOrderNamesItsMachine) {
  GeneratedElf elf("");
  elf.header.e_ident[EI_DATA] = ELFDATA2MSB;
  elf.header.e_machine = static_cast<Elf64_Half>(EM_S390 << 8);
  const auto file = read(elf.bytes());
  ASSERT_TRUE(tests::succeeded(file));
  EXPECT_FALSE(file->is_native);
  EXPECT_EQ(machine_name(file->machine), "s390x");
  EXPECT_EQ(machine_name(4242), "machine 4242");
}

TEST(ElfFile, TruncatedAnywhereIsRejected) {
  std::ifstream stream(std::filesystem::path(KBASE_BAD_PLUGINS) / "kbase-sound.so", std::ios::binary);
  const std::string bytes(std::istreambuf_iterator<char>(stream), {});
  ASSERT_TRUE(tests::succeeded(read(bytes)));
  for (std::size_t size = 0; size < bytes.size(); ++size)
    ASSERT_FALSE(read(std::string_view(bytes).substr(0, size))) << size;
}

}  // namespace
}  // namespace kbase::plugin_host
