// SPDX-License-Identifier: Apache-2.0
#include "adapters/native_index/columns/columns.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <random>

#include "adapters/native_index/files/section_file.hpp"
#include "tests/adapters/native_index/faulty_files.hpp"
#include "tests/support/outcome.hpp"

namespace kbase::tests {
namespace {
using native_index::as_text;
using native_index::Columns;
using native_index::ColumnsWriter;
using native_index::IdBuffer;
using native_index::IdCursor;
using native_index::IdTableWriter;
using native_index::SectionFile;
using native_index::SectionFileWriter;
using native_index::SectionKind;
using native_index::TitleHash;
using native_index::TitleTable;
using native_index::TitleTableWriter;

constexpr std::uint32_t kFormat = 1;
struct Document {
  std::string id;
  std::string category;
  std::vector<std::string> tags = {};
  int day = 0;
  std::uint64_t views = 0;
  std::uint8_t language = 0;
};

std::vector<Document> random_documents(std::size_t count) {
  std::mt19937_64 random(count);
  std::vector<Document> documents;
  for (std::size_t i = 0; i < count; ++i) {
    std::string id = std::to_string(i) + std::string(random() % 20 == 0 ? random() % 240 : random() % 10, 'x');
    std::vector<std::string> tags;
    for (std::size_t tag = i % 3; tag > 0; --tag)
      tags.push_back(std::to_string(tag) + " of " + std::to_string(random() % 9));
    documents.push_back({std::move(id), "category " + std::to_string(random() % 30), std::move(tags),
                         static_cast<int>(random() % 40'000) - 10'000, random(), static_cast<std::uint8_t>(random())});
  }
  return documents;
}

TitleHash hash_of(const std::string& title) {
  return std::hash<std::string>()(title) >> (64 - native_index::kTitleHashBits);
}

Status write_columns(SectionFileWriter& file, const std::vector<Document>& documents) {
  ColumnsWriter writer;
  for (const Document& document : documents) {
    const std::vector<std::string_view> tags(document.tags.begin(), document.tags.end());
    writer.add(
        {document.category, tags, model::Day(std::chrono::days(document.day)), document.views, document.language});
  }
  if (const auto written = writer.write(file); !written) return written;
  std::vector<std::uint32_t> by_id(documents.size());
  std::iota(by_id.begin(), by_id.end(), 0U);
  std::sort(by_id.begin(), by_id.end(), [&](auto a, auto b) { return documents[a].id < documents[b].id; });
  IdTableWriter ids;
  for (const std::uint32_t document : by_id) ids.add(documents[document].id);
  if (const auto written = ids.write(file, by_id); !written) return written;
  TitleTableWriter titles;
  for (std::uint32_t i = 0; i < documents.size(); ++i) titles.add({hash_of(documents[i].category), i});
  return titles.write(file);
}

Status write_file(FaultyFiles& files, const std::vector<Document>& documents) {
  auto file = SectionFileWriter::create(files, "f/s", kFormat);
  if (!file) return file.error();
  if (const auto written = write_columns(*file, documents); !written) return written;
  return file->finish();
}

/// Columns together with the file that they refer to.
struct Open {
  explicit Open(const std::vector<Document>& documents) {
    FaultyFiles files;
    EXPECT_TRUE(succeeded(write_file(files, documents)));
    auto opened = SectionFile::open(files, "f/s", kFormat);
    EXPECT_TRUE(succeeded(opened));
    file = *opened;
  }
  Columns columns() const {
    auto opened = Columns::open(*file);
    EXPECT_TRUE(succeeded(opened));
    return *opened;
  }
  std::shared_ptr<const SectionFile> file;
};

std::vector<std::string> tags_of(const Columns& columns, std::uint32_t document) {
  std::vector<std::string> tags;
  columns.visit_tags(document, [&](auto tag) { tags.emplace_back(columns.tag_names().name(tag)); });
  return tags;
}

TEST(Columns, ReturnWhatWasAdded) {
  for (const std::size_t count : {1U, 15U, 16U, 17U, 1000U}) {
    const auto documents = random_documents(count);
    const Open open(documents);
    const Columns columns = open.columns();
    ASSERT_EQ(columns.documents(), count);
    IdBuffer buffer;
    for (std::uint32_t i = 0; i < count; ++i) {
      EXPECT_EQ(columns.ids().id(i, buffer), documents[i].id);
      EXPECT_EQ(columns.category_names().name(columns.category(i)), documents[i].category);
      EXPECT_EQ(tags_of(columns, i), documents[i].tags);
      EXPECT_EQ(columns.updated_day(i), documents[i].day);
      EXPECT_EQ(columns.views()[i], documents[i].views);
      EXPECT_EQ(columns.languages()[i], documents[i].language);
    }
  }
}

TEST(Columns, FindExactlyTheDocumentOfAnId) {
  const auto documents = random_documents(5000);
  const Open open(documents);
  const Columns columns = open.columns();
  for (std::uint32_t i = 0; i < documents.size(); ++i) {
    EXPECT_EQ(columns.ids().find(documents[i].id), i);
    EXPECT_EQ(columns.ids().find(documents[i].id + "y"), std::nullopt);
  }
  EXPECT_EQ(columns.ids().find(""), std::nullopt);
  EXPECT_EQ(columns.ids().find(std::string(300, 'x')), std::nullopt);
}

TEST(IdCursor, VisitsIdsInByteOrder) {
  for (const std::size_t count : {0U, 1U, 16U, 17U, 1000U}) {
    const auto documents = random_documents(count);
    const Open open(documents);
    const Columns columns = open.columns();
    IdCursor cursor(columns.ids());
    std::string before;
    std::size_t seen = 0;
    for (; cursor.next(); ++seen) {
      EXPECT_LT(before, cursor.id());
      EXPECT_EQ(cursor.id(), documents[cursor.document()].id);
      before = cursor.id();
    }
    EXPECT_EQ(seen, count);
    EXPECT_FALSE(cursor.damaged());
  }
}

TEST(Columns, StoreTheShortestAndTheLongestId) {
  const std::string longest(model::kMaxIdBytes, 'x');
  const Open open({{"a", "c"}, {longest, "c"}, {"b", "c"}});
  const Columns columns = open.columns();
  IdBuffer buffer;
  EXPECT_EQ(columns.ids().id(1, buffer), longest);
  EXPECT_EQ(columns.ids().id(2, buffer), "b");
  EXPECT_EQ(columns.ids().find(longest), 1U);
}

TEST(Columns, NumberCategoriesInByteOrder) {
  const Open open({{"1", "pears"}, {"2", "apples"}, {"3", "plums"}, {"4", "apples"}});
  const Columns columns = open.columns();
  ASSERT_EQ(columns.category_names().size(), 3U);
  EXPECT_EQ(columns.category_names().name(0), "apples");
  EXPECT_EQ(columns.category_names().name(2), "plums");
  EXPECT_EQ(columns.category(0), 1U);
  EXPECT_EQ(columns.category(3), 0U);
}

TEST(Columns, CanBeEmpty) {
  const Open open({});
  const Columns columns = open.columns();
  EXPECT_EQ(columns.documents(), 0U);
  EXPECT_EQ(columns.category_names().size(), 0U);
  EXPECT_EQ(columns.tag_names().size(), 0U);
  EXPECT_EQ(columns.ids().find("any"), std::nullopt);
}

TEST(Columns, AreDamagedIfASectionIsMissing) {
  FaultyFiles files;
  auto file = SectionFileWriter::create(files, "f/s", kFormat);
  ASSERT_TRUE(succeeded(file));
  ASSERT_TRUE(succeeded(file->finish()));
  EXPECT_TRUE(failed(Columns::open(**SectionFile::open(files, "f/s", kFormat)), ErrorCode::Corrupt));
}

/// Rewrites the file with one section changed by `change`; all checksums are valid.
template <class Change>
std::shared_ptr<const SectionFile> changed(const SectionFile& file, SectionKind kind, Change change) {
  FaultyFiles files;
  auto writer = SectionFileWriter::create(files, "f/s", kFormat);
  for (const SectionKind each : native_index::kColumnSections) {
    std::string bytes(as_text(file.section(each)));
    if (each == kind) change(bytes);
    EXPECT_TRUE(succeeded(writer->begin(each)));
    EXPECT_TRUE(succeeded(writer->append(bytes)));
  }
  EXPECT_TRUE(succeeded(writer->finish()));
  return *SectionFile::open(files, "f/s", kFormat);
}

void read_all(const Columns& columns) {
  std::uint64_t sum = columns.titles().size();
  for (std::size_t i = 0; i < columns.titles().size(); ++i)
    for (const std::uint32_t document : columns.titles().find(columns.titles().entry(i).hash))
      sum += columns.updated_day(document) == 0 ? 1 : 2;
  IdBuffer buffer;
  for (std::uint32_t i = 0; i < columns.documents(); ++i) {
    const std::string_view id = columns.ids().id(i, buffer);
    for (const char byte : id) sum += static_cast<unsigned char>(byte);
    sum += columns.ids().find(id).value_or(0) + columns.category_names().name(columns.category(i)).size();
    columns.visit_tags(i, [&](auto tag) { sum += columns.tag_names().name(tag).size(); });
    sum += columns.views()[i] + columns.languages()[i];
  }
  for (IdCursor cursor(columns.ids()); cursor.next();) sum += cursor.id().size() + cursor.document();
  EXPECT_NE(sum, 0U);
}

TEST(Columns, RankIdsInByteOrder) {
  const Open open({{"b", "c"}, {"\xC3\xA4", "c"}, {"a", "c"}, {"aa", "c"}});
  const Columns columns = open.columns();
  std::vector<std::uint32_t> ranks;
  for (std::uint32_t document = 0; document < columns.documents(); ++document)
    ranks.push_back(columns.ids().rank(document));
  EXPECT_EQ(ranks, (std::vector<std::uint32_t>{2, 3, 0, 1}));
}

TEST(Columns, FindTheDocumentsOfATitle) {
  std::mt19937_64 random(1);
  for (const std::uint32_t count : {0U, 1U, 7U, 100U, 20'000U}) {
    std::multimap<TitleHash, std::uint32_t> expected;
    TitleTableWriter writer;
    for (std::uint32_t document = 0; document < count; ++document) {
      const TitleHash hash = hash_of(std::to_string(random() % (count / 2 + 1)));
      expected.emplace(hash, document);
      writer.add({hash, document});
      writer.add({hash, document});
    }
    FaultyFiles files;
    auto file = SectionFileWriter::create(files, "f/s", kFormat);
    ASSERT_TRUE(succeeded(file));
    ASSERT_TRUE(succeeded(writer.write(*file)));
    ASSERT_TRUE(succeeded(file->finish()));
    const auto opened = *SectionFile::open(files, "f/s", kFormat);
    const auto titles = TitleTable::open(*opened, count);
    ASSERT_TRUE(succeeded(titles));
    EXPECT_EQ(titles->size(), count);
    for (std::uint32_t number = 0; number <= count / 2 + 1; ++number) {
      const TitleHash hash = hash_of(std::to_string(number));
      std::vector<std::uint32_t> documents;
      const auto [first, last] = expected.equal_range(hash);
      for (auto each = first; each != last; ++each) documents.push_back(each->second);
      titles->prefetch(hash);
      EXPECT_EQ(titles->find(hash), documents);
    }
  }
}

TEST(Columns, AreDamagedIfAChecksumDiffers) {
  FaultyFiles files;
  ASSERT_TRUE(succeeded(write_file(files, random_documents(100))));
  files.flip_bit("f/s", 64 * 8);
  const auto columns = Columns::open(**SectionFile::open(files, "f/s", kFormat));
  ASSERT_TRUE(failed(columns, ErrorCode::Corrupt));
  EXPECT_NE(columns.error().detail.find("updt"), std::string::npos) << columns.error().detail;
}

/// The address sanitizer detects accesses outside the sections.
TEST(Columns, DoNotReadBeyondDamagedSections) {
  const Open open(random_documents(100));
  std::mt19937_64 random(1);
  for (const SectionKind kind : native_index::kColumnSections)
    for (int round = 0; round < 100; ++round) {
      const auto file = changed(*open.file, kind, [&](std::string& bytes) {
        bytes[random() % bytes.size()] ^= static_cast<char>(1 << random() % 8);
      });
      const auto columns = Columns::open(*file);
      if (columns) read_all(*columns);
      EXPECT_TRUE(columns || columns.error().code == ErrorCode::Corrupt);
    }
}

TEST(Columns, RejectSectionsOfAnotherLength) {
  const Open open(random_documents(100));
  for (const SectionKind kind : native_index::kColumnSections) {
    const auto shorter = changed(*open.file, kind, [](std::string& bytes) { bytes.resize(bytes.size() / 2 + 1); });
    EXPECT_TRUE(failed(Columns::open(*shorter), ErrorCode::Corrupt)) << name_of(kind);
    const auto longer = changed(*open.file, kind, [](std::string& bytes) { bytes.append(8, '\0'); });
    EXPECT_TRUE(failed(Columns::open(*longer), ErrorCode::Corrupt)) << name_of(kind);
  }
}

TEST(ColumnsWriter, ReportsAnyFailedOperation) {
  const auto documents = random_documents(50'000);
  for (std::uint64_t nth = 1;; ++nth) {
    FaultyFiles files;
    files.inject_fault(nth, Fault::Fails);
    const bool is_done = write_file(files, documents).has_value();
    if (!files.was_fault_injected()) break;
    EXPECT_FALSE(is_done) << files.log().back();
  }
}

}  // namespace
}  // namespace kbase::tests
