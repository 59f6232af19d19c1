// SPDX-License-Identifier: Apache-2.0
// The headers of any file are read or rejected, without access beyond the end of the file.
#include <elf.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "app/plugin_host/file_trust.hpp"

namespace {

using namespace kbase::plugin_host;

void check(const std::vector<std::uint8_t>& bytes) {
  const auto file = read_elf(std::as_bytes(std::span(bytes)));
  if (!file) {
    if (file.error().message.empty()) std::abort();
    return;
  }
  if (file->bits != 32 && file->bits != 64) std::abort();
  if (file->note && !file->is_native) std::abort();
  if (machine_name(file->machine).empty()) std::abort();
}

/// Makes the input an ELF file of this machine whose program headers follow the file header, since random bytes alone
/// rarely pass the first checks.
void make_native(std::vector<std::uint8_t>& bytes) {
  Elf64_Ehdr header{};
  if (bytes.size() < sizeof(header)) return;
  std::memcpy(&header, bytes.data(), sizeof(header));
  std::memcpy(header.e_ident, ELFMAG, SELFMAG);
  header.e_ident[EI_CLASS] = ELFCLASS64;
  header.e_ident[EI_DATA] = ELFDATA2LSB;
  header.e_machine = own_machine();
  header.e_phoff = sizeof(header);
  header.e_phentsize = sizeof(Elf64_Phdr);
  header.e_phnum = static_cast<Elf64_Half>(header.e_phnum % 4);
  if (header.e_shnum % 2 == 0) header.e_shoff = 0;
  std::memcpy(bytes.data(), &header, sizeof(header));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::vector<std::uint8_t> bytes(data, data + size);
  check(bytes);
  make_native(bytes);
  check(bytes);
  return 0;
}
