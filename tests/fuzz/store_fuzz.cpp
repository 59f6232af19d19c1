// SPDX-License-Identifier: Apache-2.0
// Each text of a damaged section of stored texts is read or rejected, without access outside the section. The input is
// the section or, if its first byte is odd, a sequence of changes to a valid one.
#include <cstdint>
#include <cstdlib>

#include "adapters/native_index/store/details.hpp"
#include "adapters/native_index/store/store.hpp"
#include "tests/fuzz/one_file.hpp"

namespace {

using namespace kbase::native_index;
using kbase::fuzz::AlignedBytes;
using kbase::fuzz::OneFile;

constexpr std::uint32_t kFormat = 1;
constexpr std::uint32_t kMaxDocuments = 4096;  // if the table has more, to limit the run time

void require(bool holds) {
  if (!holds) std::abort();
}

std::string sound_section() {
  OneFile files;
  auto file = SectionFileWriter::create(files, "any", kFormat);
  auto writer = StoreWriter::begin(*file, nullptr);
  for (int i = 0; i < 20; ++i) {
    const std::string content =
        i % 7 == 0 ? std::string(static_cast<std::size_t>(i) * 500, 'x') : "some words, some words";
    const std::string details = "\7title " + std::to_string(i);  // the title and its size
    const PieceMark marks[] = {{10, 0, false}, {200, 8, true}};
    require(writer->add(19 - static_cast<std::uint32_t>(i), {details, content, marks}).has_value());
  }
  require(writer->finish().has_value() && file->finish().has_value());
  return std::string(as_text((*SectionFile::open(files, "any", kFormat))->section(kStoreSection)));
}

void check(std::string_view bytes) {
  const AlignedBytes section(bytes);
  const auto store = Store::open(section.bytes(), {});
  if (!store) {
    require(!store.error().message.empty());
    return;
  }
  StoreReader reader(*store);
  unsigned sum = 0;
  for (std::uint32_t document = 0; document < std::min(store->documents(), kMaxDocuments); ++document) {
    const auto text = reader.read(document);
    if (!text) continue;
    for (const char byte : text->details) sum += static_cast<unsigned char>(byte);
    for (const PieceMark& mark : text->marks) sum += mark.position;
    Details details;
    if (unpack_details(text->details, details)) {
      sum += static_cast<unsigned>(details.title.size());
      SectionFinder sections(document);
      sections.add(text->details.substr(details.sections));
      SectionOffsets offsets(text->details);
      require(offsets.at(document) <= text->details.size());
    }
    if (!text->content.empty()) sum += static_cast<unsigned char>(text->content.back());
    if (!reader.select(document) || reader.content_bytes() == 0) continue;
    const std::size_t place = document * kBlockBytes % reader.content_bytes();
    if (const auto part = reader.content(place, reader.content_bytes()); part && !part->empty())
      sum += static_cast<unsigned char>(part->front());
  }
  for (std::size_t block = 0; block < store->blocks(); ++block)
    sum += static_cast<unsigned>(Store::uncompressed_bytes(store->block(block)));
  require(sum != ~0U);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const std::string sound = sound_section();
  if (size == 0 || data[0] % 2 == 0) {
    check({reinterpret_cast<const char*>(data), size});
    return 0;
  }
  std::string bytes = sound;
  for (std::size_t i = 1; i + 3 <= size; i += 3) {
    const std::size_t place = data[i] | static_cast<std::size_t>(data[i + 1]) << 8;
    bytes[place % bytes.size()] = static_cast<char>(data[i + 2]);
  }
  check(bytes);
  return 0;
}
