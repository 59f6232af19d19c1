// SPDX-License-Identifier: Apache-2.0
// The sections of any file lie within the file, or the file is rejected. The input is read as it is, and again with a
// valid magic number, footer and checksum, since random bytes alone rarely pass these checks.
#include <xxhash.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>

#include "adapters/native_index/files/section_file.hpp"
#include "tests/fuzz/one_file.hpp"

namespace {

using namespace kbase::native_index;
using namespace kbase::native_index::section_format;
using kbase::fuzz::OneFile;

constexpr std::uint32_t kFormat = 1;

void check(const std::string& bytes) {
  OneFile files(bytes);
  const auto file = SectionFile::open(files, "any", kFormat);
  if (!file) {
    if (file.error().message.empty()) std::abort();
    return;
  }
  (void)(*file)->verify();
  for (std::size_t at = 0; at + kTableEntryBytes <= bytes.size(); at += kTableEntryBytes) {
    const auto section = (*file)->section(SectionKind{load<std::uint32_t>(bytes.data() + at)});
    if (section.size() > bytes.size()) std::abort();
    if (!section.empty() && (section.front() ^ section.back()) == std::byte{1}) continue;  // reads both ends
  }
}

/// Returns `bytes` with a valid header and footer. The first byte selects the number of sections in the table.
std::string with_valid_frame(std::string bytes) {
  const std::size_t sections = static_cast<unsigned char>(bytes[0]) % 8;
  const std::size_t table_bytes = sections * kTableEntryBytes;
  bytes.resize(std::max(bytes.size(), kSectionAlignment + table_bytes + kFooterBytes));
  bytes.replace(0, kMagicBytes, kMagic);
  const std::size_t table = bytes.size() - kFooterBytes - table_bytes;
  std::string footer;
  ByteWriter writer(footer);
  writer.u32(kFormat);
  writer.u32(static_cast<std::uint32_t>(sections));
  writer.u64(table);
  bytes.replace(table + table_bytes, kFooterChecksumAt, footer);
  ByteWriter(footer).u64(XXH3_64bits(bytes.data() + table, table_bytes + kFooterChecksumAt));
  bytes.replace(table + table_bytes, kFooterBytes, footer + std::string(kMagic));
  return bytes;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string bytes(reinterpret_cast<const char*>(data), size);
  check(bytes);
  if (!bytes.empty()) check(with_valid_frame(bytes));
  return 0;
}
