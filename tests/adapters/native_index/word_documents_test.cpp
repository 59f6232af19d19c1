// SPDX-License-Identifier: Apache-2.0
#include "adapters/native_index/segments/word_documents.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "tests/adapters/native_index/faulty_files.hpp"
#include "tests/support/outcome.hpp"

namespace kbase::tests {
namespace {

using native_index::kWordSection;
using native_index::SectionFile;
using native_index::SectionFileWriter;
using native_index::TermEntry;
using native_index::WordDocuments;
using native_index::WordDocumentsWriter;
using native_index::WordPostings;

using Lists = std::vector<std::vector<bool>>;

constexpr std::uint32_t kFormat = 1;
const std::filesystem::path kPath = "f/segment";

std::uint64_t offset_of(std::size_t list) { return 1'000 * list; }

TermEntry entry_of(const Lists& lists, std::size_t list, bool is_word) {
  return {static_cast<std::uint32_t>(lists[list].size()), offset_of(list), is_word};
}

/// Writes the section and returns its file; `is_word` receives what the writer returned for each list.
std::shared_ptr<const SectionFile> write(FaultyFiles& files, const Lists& lists, std::vector<bool>& is_word) {
  auto file = SectionFileWriter::create(files, kPath, kFormat);
  EXPECT_TRUE(succeeded(file));
  WordDocumentsWriter writer(*file);
  for (std::size_t i = 0; i < lists.size(); ++i) {
    for (const bool bit : lists[i]) writer.add(bit);
    const auto ended = writer.end_list(offset_of(i));
    EXPECT_TRUE(succeeded(ended));
    is_word.push_back(*ended);
  }
  EXPECT_TRUE(succeeded(writer.finish([] { return false; })));
  EXPECT_TRUE(succeeded(file->finish()));
  return *SectionFile::open(files, kPath, kFormat);
}

Lists sample_lists() {
  std::vector<bool> long_list(1'000);
  for (std::size_t i = 0; i < long_list.size(); i += 7) long_list[i] = true;
  return {{true},
          {false},
          {true, false},
          {true, true, true},
          long_list,
          {false, false},
          {false, false, false, false, false, false, false, false, true}};
}

TEST(WordDocuments, AreThoseThatWereAdded) {
  for (const Lists& lists : {Lists(), sample_lists(), Lists{{true}, {false}}}) {
    FaultyFiles files;
    std::vector<bool> is_word;
    const auto file = write(files, lists, is_word);
    const auto words = WordDocuments::open(native_index::as_text(file->section(kWordSection)));
    ASSERT_TRUE(succeeded(words));
    for (std::size_t i = 0; i < lists.size(); ++i) {
      const auto words_of_list = std::count(lists[i].begin(), lists[i].end(), true);
      EXPECT_EQ(is_word[i], words_of_list > 0);
      const WordPostings found = words->find(entry_of(lists, i, is_word[i]));
      EXPECT_EQ(found.are_all(), static_cast<std::size_t>(words_of_list) == lists[i].size());
      for (std::size_t rank = 0; rank < lists[i].size(); ++rank) EXPECT_EQ(found.contains(rank), lists[i][rank]);
    }
  }
}

TEST(WordDocuments, ReadNothingBeyondADamagedSection) {
  FaultyFiles files;
  std::vector<bool> is_word;
  const Lists lists = sample_lists();
  const auto file = write(files, lists, is_word);
  const std::string_view sound = native_index::as_text(file->section(kWordSection));
  EXPECT_TRUE(failed(WordDocuments::open(sound.substr(0, 5)), ErrorCode::Corrupt));
  EXPECT_TRUE(failed(WordDocuments::open(sound.substr(sound.size() - 7)), ErrorCode::Corrupt));
  for (std::size_t bit = 0; bit < 8 * sound.size(); ++bit) {
    std::string damaged(sound);
    damaged[bit / 8] = static_cast<char>(damaged[bit / 8] ^ 1 << (bit % 8));
    const auto words = WordDocuments::open(damaged);
    if (!words) continue;
    for (std::size_t i = 0; i < lists.size(); ++i) {
      const WordPostings found = words->find(entry_of(lists, i, true));
      for (std::size_t rank = 0; rank < lists[i].size(); ++rank) static_cast<void>(found.contains(rank));
    }
  }
}

}  // namespace
}  // namespace kbase::tests
