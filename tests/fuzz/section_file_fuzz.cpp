// SPDX-License-Identifier: Apache-2.0
// Whatever a file holds, its sections are within it or it is refused. The input is taken as it is and once more with
// the ends of a file of ours and the checksum right, as random bytes alone would seldom come so far.
#include <xxhash.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>

#include "adapters/native_index/files/section_format.hpp"
#include "tests/fuzz/one_file.hpp"

namespace {

using namespace kbase::native_index;
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
    if (!section.empty() && (section.front() ^ section.back()) == std::byte{1}) continue;  // both were read
  }
}

/// The file's ends as they should be, its table of as many sections as the input says.
std::string mended(std::string bytes) {
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
  if (!bytes.empty()) check(mended(bytes));
  return 0;
}
