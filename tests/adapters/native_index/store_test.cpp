// SPDX-License-Identifier: Apache-2.0
#include "adapters/native_index/store/store.hpp"

#include <gtest/gtest.h>

#include <numeric>
#include <random>

#include "adapters/native_index/files/section_file.hpp"
#include "tests/adapters/native_index/faulty_files.hpp"
#include "tests/support/outcome.hpp"

namespace kbase::tests {
namespace {
using native_index::kBlockBytes;
using native_index::PieceMark;
using native_index::SectionFile;
using native_index::SectionFileWriter;
using native_index::Store;
using native_index::StoredText;
using native_index::StoreReader;
using native_index::StoreWriter;
using native_index::TextDictionary;
using native_index::TextSampler;

constexpr std::uint32_t kFormat = 1;

struct Text {
  std::string title;
  std::string content;
};

std::shared_ptr<const TextDictionary> learn_dictionary(const std::vector<Text>& texts) {
  TextSampler sampler(0);
  for (const Text& text : texts) sampler.add({text.title, text.content});
  return sampler.learn();
}

Status write_file(FaultyFiles& files, const std::vector<Text>& texts,
                  std::shared_ptr<const TextDictionary> dictionary) {
  auto file = SectionFileWriter::create(files, "f/s", kFormat);
  if (!file) return file.error();
  auto writer = StoreWriter::begin(*file, std::move(dictionary));
  if (!writer) return writer.error();
  for (std::uint32_t i = 0; i < texts.size(); ++i)
    if (const auto added = writer->add(i, {texts[i].title, texts[i].content}); !added) return added;
  if (const auto finished = writer->finish(); !finished) return finished;
  return file->finish();
}

std::shared_ptr<const SectionFile> file_of(const std::vector<Text>& texts,
                                           std::shared_ptr<const TextDictionary> dictionary = nullptr) {
  FaultyFiles files;
  EXPECT_TRUE(succeeded(write_file(files, texts, std::move(dictionary))));
  auto file = SectionFile::open(files, "f/s", kFormat);
  EXPECT_TRUE(succeeded(file));
  return *file;
}

Result<Store> open_store(const SectionFile& file) {
  return Store::open(file.section(native_index::kStoreSection), file.section(native_index::kTextDictionarySection));
}

/// Returns texts of words, so that they can be compressed: empty, short, long and very long ones.
std::vector<Text> random_texts(std::size_t count, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  const auto words = [&](std::size_t most) {
    std::string text;
    for (std::size_t left = most == 0 ? 0 : random() % most; left > 0; --left)
      text += "word" + std::to_string(random() % 300) + ' ';
    return text;
  };
  std::vector<Text> texts;
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t most[] = {0, 5, 100, 300, 5000};
    texts.push_back({words(10), words(most[random() % 100 == 0 ? 4 : random() % 4])});
  }
  return texts;
}

void expect_text(StoreReader& reader, std::uint32_t document, const Text& expected) {
  const auto text = reader.read(document);
  ASSERT_TRUE(succeeded(text)) << document;
  EXPECT_EQ(text->details, expected.title) << document;
  EXPECT_EQ(text->content, expected.content) << document;
}

TEST(Store, ReturnsEachTextInAnyOrder) {
  const auto texts = random_texts(1000, 1);
  const auto dictionary = learn_dictionary(texts);
  ASSERT_NE(dictionary, nullptr);
  for (const auto& each : {std::shared_ptr<const TextDictionary>(), dictionary}) {
    const auto file = file_of(texts, each);
    const auto store = open_store(*file);
    ASSERT_TRUE(succeeded(store));
    ASSERT_EQ(store->documents(), texts.size());
    StoreReader forwards(*store), backwards(*store), random_order(*store);
    std::mt19937_64 random(2);
    for (std::uint32_t i = 0; i < texts.size(); ++i) {
      expect_text(forwards, i, texts[i]);
      const auto last = static_cast<std::uint32_t>(texts.size() - 1);
      expect_text(backwards, last - i, texts[last - i]);
      const auto any = static_cast<std::uint32_t>(random() % texts.size());
      expect_text(random_order, any, texts[any]);
      expect_text(random_order, any, texts[any]);
    }
  }
}

TEST(Store, ReturnsPartsOfALongText) {
  std::mt19937_64 random(10);
  Text text;
  std::vector<PieceMark> marks;
  while (text.title.size() < 2 * kBlockBytes) text.title += "heading " + std::to_string(random() % 1000);
  while (text.content.size() < 9 * kBlockBytes) text.content += "word" + std::to_string(random() % 1000) + ' ';
  for (std::uint32_t i = 0; i < 10; ++i) marks.push_back({i * 200, i * 100, i % 2 != 0});
  FaultyFiles files;
  auto file = SectionFileWriter::create(files, "f/s", kFormat);
  auto writer = StoreWriter::begin(*file, nullptr);
  ASSERT_TRUE(succeeded(writer->add(0, {"short", "text"})));
  ASSERT_TRUE(succeeded(writer->add(1, {text.title, text.content, marks})));
  ASSERT_TRUE(succeeded(writer->finish()));
  ASSERT_TRUE(succeeded(file->finish()));
  const auto opened = SectionFile::open(files, "f/s", kFormat);
  const auto store = open_store(**opened);
  ASSERT_TRUE(succeeded(store));
  StoreReader reader(*store);
  for (int i = 0; i < 100; ++i) {
    ASSERT_TRUE(succeeded(reader.select(0)));
    EXPECT_EQ(reader.pieces(), 0U);
    EXPECT_EQ(*reader.content(1, 3), "ex");
    ASSERT_TRUE(succeeded(reader.select(1)));
    ASSERT_EQ(reader.pieces(), marks.size());
    for (std::size_t piece = 0; piece < marks.size(); ++piece) EXPECT_EQ(*reader.mark(piece), marks[piece]);
    for (int part = 0; part < 3; ++part) {
      const std::size_t begin = random() % text.content.size();
      const std::size_t end = begin + random() % (text.content.size() - begin);
      EXPECT_EQ(*reader.content(begin, end), text.content.substr(begin, end - begin));
      const std::size_t title_end = random() % text.title.size();
      EXPECT_EQ(*reader.details(title_end / 2, title_end), text.title.substr(title_end / 2, title_end - title_end / 2));
    }
  }
  const auto all = reader.read(1);
  ASSERT_TRUE(succeeded(all));
  EXPECT_EQ(all->details, text.title);
  EXPECT_EQ(all->content, text.content);
  EXPECT_TRUE(std::equal(all->marks.begin(), all->marks.end(), marks.begin(), marks.end()));
}

TEST(Store, CanBeEmpty) {
  const auto file = file_of({});
  const auto store = open_store(*file);
  ASSERT_TRUE(succeeded(store));
  EXPECT_EQ(store->documents(), 0U);
}

TEST(Store, StoresEmptyTexts) {
  const auto file = file_of({{"", ""}, {"", ""}});
  const auto store = open_store(*file);
  ASSERT_TRUE(succeeded(store));
  StoreReader reader(*store);
  expect_text(reader, 1, {"", ""});
  expect_text(reader, 0, {"", ""});
}

TEST(Store, StoresIncompressibleTexts) {
  std::mt19937_64 random(3);
  Text text;
  for (int i = 0; i < 300'000; ++i) text.content.push_back(static_cast<char>(random()));
  const auto file = file_of({{"before", ""}, text, {"after", ""}});
  const auto store = open_store(*file);
  ASSERT_TRUE(succeeded(store));
  StoreReader reader(*store);
  expect_text(reader, 2, {"after", ""});
  expect_text(reader, 1, text);
  expect_text(reader, 0, {"before", ""});
}

TEST(Store, IsSmallerThanItsTexts) {
  std::size_t text_bytes = 0;
  const auto texts = random_texts(1000, 4);
  for (const Text& text : texts) text_bytes += text.title.size() + text.content.size();
  const auto plain = file_of(texts)->bytes();
  const auto with_dictionary = file_of(texts, learn_dictionary(texts))->bytes();
  EXPECT_LT(plain, text_bytes * 2 / 3);
  EXPECT_LT(with_dictionary, plain);
}

TEST(TextDictionary, NeedsEnoughSamples) {
  EXPECT_EQ(learn_dictionary({}), nullptr);
  EXPECT_EQ(learn_dictionary(random_texts(10, 12)), nullptr);
  EXPECT_EQ(TextDictionary::restore({}), nullptr);
}

TEST(TextDictionary, SamplesTextsEvenlyUpToALimit) {
  const std::vector<Text> texts(20'000, {"title", std::string(1'000, 'x')});
  TextSampler sampler(std::uint64_t{20'000} * 1'005);
  for (const Text& text : texts) sampler.add({text.title, text.content});
  EXPECT_LE(sampler.bytes(), TextDictionary::kMaxSampleBytes);
  EXPECT_GE(sampler.bytes(), TextDictionary::kMaxSampleBytes / 2);
}

TEST(StoreWriter, AcceptsDocumentsInAnyOrder) {
  const auto texts = random_texts(100, 8);
  const std::shared_ptr<const TextDictionary> dictionary;
  FaultyFiles files;
  auto file = SectionFileWriter::create(files, "f/s", kFormat);
  auto writer = StoreWriter::begin(*file, dictionary);
  const auto last = static_cast<std::uint32_t>(texts.size() - 1);
  for (std::uint32_t i = 0; i < texts.size(); ++i)
    ASSERT_TRUE(succeeded(writer->add(last - i, {texts[i].title, texts[i].content})));
  ASSERT_TRUE(succeeded(writer->finish()));
  ASSERT_TRUE(succeeded(file->finish()));
  const auto opened = SectionFile::open(files, "f/s", kFormat);
  const auto store = open_store(**opened);
  ASSERT_TRUE(succeeded(store));
  StoreReader reader(*store);
  for (std::uint32_t i = 0; i < texts.size(); ++i) {
    expect_text(reader, last - i, texts[i]);
    EXPECT_EQ(store->text_number(last - i), i);
  }
}

TEST(StoreWriter, CopiesBlocksOfAnotherStore) {
  const auto texts = random_texts(1000, 9);
  const auto dictionary = learn_dictionary(texts);
  const auto source_file = file_of(texts, dictionary);
  const auto source = open_store(*source_file);
  ASSERT_TRUE(succeeded(source));
  ASSERT_GT(source->blocks(), 3U);
  FaultyFiles files;
  auto file = SectionFileWriter::create(files, "f/s", kFormat);
  auto writer = StoreWriter::begin(*file, dictionary);
  ASSERT_TRUE(succeeded(writer->add(1000, {"own", "text"})));
  for (std::size_t i = 0; i < source->blocks(); ++i) {
    const Store::Block block = source->block(i);
    std::vector<std::uint32_t> documents(block.end_text - block.first_text);
    std::iota(documents.begin(), documents.end(), block.first_text);
    ASSERT_TRUE(succeeded(writer->copy(block, documents)));
  }
  ASSERT_TRUE(succeeded(writer->finish()));
  ASSERT_TRUE(succeeded(file->finish()));
  const auto opened = SectionFile::open(files, "f/s", kFormat);
  const auto store = open_store(**opened);
  ASSERT_TRUE(succeeded(store));
  StoreReader reader(*store);
  for (std::uint32_t i = 0; i < texts.size(); ++i) expect_text(reader, i, texts[i]);
  expect_text(reader, 1000, {"own", "text"});
}

TEST(Store, ReturnsTheTextSizeOfABlock) {
  const auto file = file_of({{"ab", "cde"}, {"", "f"}});
  const auto store = open_store(*file);
  ASSERT_TRUE(succeeded(store));
  ASSERT_EQ(store->blocks(), 1U);
  EXPECT_EQ(Store::uncompressed_bytes(store->block(0)), 6U);
  EXPECT_EQ(Store::uncompressed_bytes({0, 0, 2, "\xFF"}), 0U);
}

TEST(StoreWriter, ReportsAnyFailedOperation) {
  const auto texts = random_texts(3000, 5);
  for (std::uint64_t nth = 1;; ++nth) {
    FaultyFiles files;
    files.inject_fault(nth, Fault::Fails);
    const bool is_done = write_file(files, texts, nullptr).has_value();
    if (!files.was_fault_injected()) break;
    EXPECT_FALSE(is_done) << files.log().back();
  }
}

/// A reader of damaged data returns an error or some text. The address sanitizer detects accesses outside the section.
TEST(Store, DoesNotReadBeyondADamagedSection) {
  const auto texts = random_texts(60, 6);
  const auto file = file_of(texts);
  const std::span<const std::byte> section = file->section(native_index::kStoreSection);
  std::mt19937_64 random(7);
  std::size_t refused = 0;
  for (int round = 0; round < 3000; ++round) {
    std::vector<std::uint64_t> copy((section.size() + 7) / 8);  // for its alignment
    std::memcpy(copy.data(), section.data(), section.size());
    auto* bytes = reinterpret_cast<std::uint8_t*>(copy.data());
    const std::size_t from = round % 2 == 0 ? 0 : section.size() - std::min<std::size_t>(section.size(), 200);
    for (int i = 0; i < 3; ++i)
      bytes[from + random() % (section.size() - from)] ^= static_cast<std::uint8_t>(1 + random() % 255);
    const auto store = Store::open(std::as_bytes(std::span(bytes, section.size())), {});
    if (!store) {
      EXPECT_TRUE(failed(store, ErrorCode::Corrupt));
      ++refused;
      continue;
    }
    StoreReader reader(*store);
    for (std::uint32_t i = 0; i < store->documents(); ++i)
      if (const auto text = reader.read(i); !text) ++refused;
  }
  EXPECT_GT(refused, 0U);
}

TEST(Store, RejectsAnInvalidSection) {
  EXPECT_TRUE(failed(Store::open({}, {}), ErrorCode::Corrupt));
  const std::vector<std::uint64_t> ones(8, ~std::uint64_t{0});
  EXPECT_TRUE(failed(Store::open(std::as_bytes(std::span(ones)), {}), ErrorCode::Corrupt));
}

}  // namespace
}  // namespace kbase::tests
