// SPDX-License-Identifier: Apache-2.0
// Columns with damaged sections are rejected or read without access outside the sections. The input is a sequence of
// changes to valid sections; each change has a section, a position and a byte. At some positions the byte is the number
// of bytes that are cut off instead (see fuzz::change).
#include <algorithm>
#include <cstdint>
#include <cstdlib>

#include "adapters/native_index/columns/columns.hpp"
#include "tests/fuzz/one_file.hpp"

namespace {

using namespace kbase;
using namespace kbase::native_index;
using fuzz::OneFile;

constexpr std::uint32_t kFormat = 1;
constexpr std::size_t kChangeBytes = 4;
void require(bool holds) {
  if (!holds) std::abort();
}

using Sections = std::vector<std::string>;

TitleHash hash_of(const std::string& title) { return std::hash<std::string>()(title) >> (64 - kTitleHashBits); }

Sections sound_sections() {
  ColumnsWriter columns;
  IdTableWriter ids;
  TitleTableWriter titles;
  std::vector<std::uint32_t> documents;
  for (int i = 0; i < 40; ++i) {
    const std::string category = "category " + std::to_string(i % 5);
    const std::string_view tags[] = {"tag", category};
    columns.add({category, tags, model::Day{}, 1, 2});
    ids.add("item-" + std::to_string(1000 + i * i));
    documents.push_back(static_cast<std::uint32_t>(39 - i));
    titles.add({hash_of(category), documents.back()});
  }
  OneFile files;
  auto writer = SectionFileWriter::create(files, "any", kFormat);
  require(columns.write(*writer).has_value() && ids.write(*writer, documents).has_value() &&
          titles.write(*writer).has_value() && writer->finish().has_value());
  const auto file = SectionFile::open(files, "any", kFormat);
  Sections sections;
  for (const SectionKind kind : kColumnSections) sections.emplace_back(as_text((*file)->section(kind)));
  return sections;
}

void look_into(const Columns& columns) {
  std::uint64_t sum = 0;
  IdBuffer buffer;
  for (std::uint32_t document = 0; document < columns.documents(); ++document) {
    const std::string_view id = columns.ids().id(document, buffer);
    for (const char byte : id) sum += static_cast<unsigned char>(byte);
    sum += columns.ids().find(id).value_or(0);
    for (const char byte : columns.category_names().name(columns.category(document)))
      sum += static_cast<unsigned char>(byte);
    columns.visit_tags(document, [&](std::uint32_t tag) {
      for (const char byte : columns.tag_names().name(tag)) sum += static_cast<unsigned char>(byte);
    });
    sum += columns.views()[document] + columns.languages()[document];
  }
  (void)columns.ids().find("another");
  for (std::size_t i = 0; i < columns.titles().size(); ++i)
    for (const std::uint32_t document : columns.titles().find(columns.titles().entry(i).hash))
      sum += columns.views()[document];
  for (IdCursor cursor(columns.ids()); cursor.next();) sum += cursor.id().size() + cursor.document();
  require(sum != ~std::uint64_t{0});
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const Sections sound = sound_sections();
  Sections sections = sound;
  for (std::size_t i = 0; i + kChangeBytes <= size; i += kChangeBytes)
    fuzz::change(sections[data[i] % sections.size()], data + i);
  OneFile files;
  auto writer = SectionFileWriter::create(files, "any", kFormat);
  for (std::size_t i = 0; i < sections.size(); ++i)
    require(writer->begin(kColumnSections[i]).has_value() && writer->append(sections[i]).has_value());
  require(writer->finish().has_value());
  const auto file = SectionFile::open(files, "any", kFormat);
  require(file.has_value());
  const auto columns = Columns::open(**file);
  if (columns)
    look_into(*columns);
  else
    require(columns.error().code == ErrorCode::Corrupt);
  return 0;
}
