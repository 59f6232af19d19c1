// SPDX-License-Identifier: Apache-2.0
#include "adapters/native_index/segments/segment.hpp"
#include "adapters/native_index/store/details.hpp"

#include <gtest/gtest.h>

#include "adapters/native_index/segments/segment_builder.hpp"
#include "tests/adapters/native_index/faulty_files.hpp"
#include "tests/support/outcome.hpp"

namespace kbase::tests {
namespace {

std::string title_of(const native_index::StoredText& text) {
  native_index::Details details;
  EXPECT_TRUE(native_index::unpack_details(text.details, details));
  return std::string(details.title);
}

using native_index::IdBuffer;
using native_index::kCategoryMark;
using native_index::kExactMark;
using native_index::kFieldGap;
using native_index::kSegmentFormat;
using native_index::kTagMark;
using native_index::PositionReader;
using native_index::PostingList;
using native_index::SectionFileWriter;
using native_index::Segment;
using native_index::SegmentBuilder;
using native_index::StoreReader;
using native_index::Window;

const text::ItemLanguages kEnglish{*text::find_language("en")};

model::ItemView item(std::string_view id, int day, std::string_view title, std::string_view content,
                     std::string_view category = "shelf") {
  model::ItemView item;
  item.id = id;
  item.title = title;
  item.content = content;
  item.category = category;
  item.metadata.updated = model::Day(std::chrono::days(day));
  return item;
}

class SegmentFile : public testing::Test {
 protected:
  std::shared_ptr<const Segment> written() {
    auto file = SectionFileWriter::create(files, "f/s", kSegmentFormat);
    EXPECT_TRUE(succeeded(file));
    EXPECT_TRUE(succeeded(builder.write(*file)));
    EXPECT_TRUE(succeeded(file->finish()));
    auto opened = Segment::open(files, "f/s");
    EXPECT_TRUE(succeeded(opened));
    return *opened;
  }

  static std::vector<std::string> ids_of(const Segment& segment, const PostingList& list) {
    std::vector<std::string> ids;
    IdBuffer buffer;
    for (const std::uint16_t document : list.window_numbered(0).array())
      ids.emplace_back(segment.columns().ids().id(document, buffer));
    return ids;
  }

  static std::vector<std::uint32_t> positions_of(const PostingList& list, std::uint32_t rank) {
    std::vector<std::uint32_t> positions;
    PositionReader reader = list.window_numbered(0).positions(rank);
    for (std::uint32_t position = 0; reader.next(position);) positions.push_back(position);
    return positions;
  }

  FaultyFiles files;
  SegmentBuilder builder;
};

using Ids = std::vector<std::string>;
using Positions = std::vector<std::uint32_t>;

TEST_F(SegmentFile, OrdersDocumentsByDateThenById) {
  builder.add(item("b", 10, "One", "text"), kEnglish);
  builder.add(item("a", 10, "Two", "text"), kEnglish);
  builder.add(item("c", 20, "Three", "text"), kEnglish);
  const auto segment = written();
  EXPECT_EQ(ids_of(*segment, segment->find_list("text")), (Ids{"c", "a", "b"}));
  StoreReader texts(segment->store());
  EXPECT_EQ(title_of(*texts.read(0)), "Three");
  EXPECT_EQ(title_of(*texts.read(2)), "One");
}

TEST_F(SegmentFile, MarksThePiecesOfALongText) {
  using native_index::kBlockBytes;
  std::string content;
  std::vector<std::string> sections;
  std::vector<std::size_t> begins;
  while (content.size() < 20 * kBlockBytes) {
    if (begins.size() % 97 == 30) sections.push_back(model::encode_section({1, "Heading", "anchor", content.size()}));
    begins.push_back(content.size());
    content += "word" + std::to_string(begins.size()) + (begins.size() % 5 == 0 ? ", " : " ");
  }
  const std::vector<std::string_view> views(sections.begin(), sections.end());
  auto long_item = item("a", 1, "A long title", content);
  long_item.sections = views;
  builder.add(long_item, kEnglish);
  const auto segment = written();
  StoreReader texts(segment->store());
  ASSERT_TRUE(succeeded(texts.select(0)));
  ASSERT_EQ(texts.pieces(), (content.size() + kBlockBytes - 1) / kBlockBytes);
  for (std::size_t piece = 0; piece < texts.pieces(); ++piece) {
    const auto mark = texts.mark(piece);
    ASSERT_TRUE(succeeded(mark));
    const std::size_t begin = piece * kBlockBytes;
    const auto first = static_cast<std::size_t>(std::lower_bound(begins.begin(), begins.end(), begin) - begins.begin());
    if (first < begins.size()) {
      const PostingList list = segment->find_list("word" + std::to_string(first + 1));
      PositionReader positions = list.window(0).positions(0);
      std::uint32_t position = 0;
      ASSERT_TRUE(positions.next(position));
      EXPECT_EQ(mark->position, position) << piece;
    }
    EXPECT_EQ(mark->begins_in_word, begin > 0 && content[begin - 1] != ' ' && content[begin] != ' ') << piece;
    const auto details = texts.details(mark->section, texts.details_bytes());
    for (const std::size_t place : {begin, std::min(begin + kBlockBytes, content.size()) - 1}) {
      native_index::SectionFinder finder(place);
      finder.add(*details);
      EXPECT_EQ(finder.section(), model::section_at(views, place)) << piece;
    }
  }
}

TEST_F(SegmentFile, ListsTheStemAndTheExactFormOfAWordSeparately) {
  builder.add(item("a", 1, "Running", "They run and run."), kEnglish);
  builder.add(item("b", 1, "Plain", "The runs of a river."), kEnglish);
  const auto segment = written();
  EXPECT_EQ(ids_of(*segment, segment->find_list("run")), (Ids{"a", "b"}));
  EXPECT_EQ(ids_of(*segment, segment->find_list(kExactMark + std::string("runs"))), (Ids{"b"}));
  EXPECT_EQ(ids_of(*segment, segment->find_list(kExactMark + std::string("running"))), (Ids{"a"}));
  EXPECT_EQ(segment->find_list("running").documents(), 0u);
}

TEST_F(SegmentFile, ListsTheDocumentsOfACategory) {
  builder.add(item("a", 1, "One", "text", "red"), kEnglish);
  builder.add(item("b", 1, "Two", "text", "blue"), kEnglish);
  const auto segment = written();
  EXPECT_EQ(ids_of(*segment, segment->find_list(kCategoryMark + std::string("blue"))), (Ids{"b"}));
}

TEST_F(SegmentFile, ListsTheDocumentsOfAnExactTag) {
  auto tagged = item("a", 1, "One", "text");
  const std::string_view tags[] = {"Red paint", "wood", "Red paint"};
  tagged.tags = tags;
  builder.add(tagged, kEnglish);
  builder.add(item("b", 1, "Red paint", "wood"), kEnglish);
  const auto segment = written();
  EXPECT_EQ(ids_of(*segment, segment->find_list(kTagMark + std::string("Red paint"))), (Ids{"a"}));
  EXPECT_EQ(segment->find_list(kTagMark + std::string("red")).documents(), 0u);
  std::vector<std::size_t> tag_counts(2);
  for (std::uint32_t document = 0; document < 2; ++document)
    segment->columns().visit_tags(document, [&](auto) { ++tag_counts[document]; });
  EXPECT_EQ(tag_counts, (std::vector<std::size_t>{2, 0})) << "each once";
}

TEST_F(SegmentFile, SeparatesTheFieldsByMoreThanAnyPhrase) {
  auto two_tags = item("a", 1, "alpha beta", "gamma alpha");
  const std::string_view tags[] = {"alpha", "beta"};
  two_tags.tags = tags;
  builder.add(two_tags, kEnglish);
  const auto segment = written();
  constexpr std::uint32_t kFirstTag = 1 + kFieldGap;
  constexpr std::uint32_t kSecondTag = kFirstTag + kFieldGap;
  constexpr std::uint32_t kContent = kSecondTag + kFieldGap;
  EXPECT_EQ(positions_of(segment->find_list("alpha"), 0), (Positions{0, kFirstTag, kContent + 1}));
  EXPECT_EQ(positions_of(segment->find_list("beta"), 0), (Positions{1, kSecondTag}));
}

TEST_F(SegmentFile, WeighsAWordOfTheTitleHigher) {
  builder.add(item("a", 1, "kiwi", "some other fruit"), kEnglish);
  builder.add(item("b", 1, "other", "some kiwi fruit"), kEnglish);
  const auto segment = written();
  const Window window = segment->find_list("kiwi").window_numbered(0);
  ASSERT_EQ(window.count(), 2u);
  EXPECT_GT(window.impacts()[0], window.impacts()[1]);
}

TEST_F(SegmentFile, StartsEmptyAfterItWasWritten) {
  builder.add(item("a", 1, "first", "text"), kEnglish);
  written();
  EXPECT_EQ(builder.documents(), 0u);
  builder.add(item("b", 1, "second", "text"), kEnglish);
  const auto segment = written();
  EXPECT_EQ(segment->documents(), 1u);
  EXPECT_EQ(segment->find_list("first").documents(), 0u);
}

TEST_F(SegmentFile, CountsAPairOfCharactersAsAQuarterOfAWord) {
  builder.add(item("a", 1, "", "one two three"), kEnglish);
  builder.add(item("b", 1, "", "one \u4E8C\u4E09\u56DB\u4E94\u516D two"), kEnglish);
  builder.add(item("c", 1, "", "one two three four"), kEnglish);
  const auto segment = written();
  const Window window = segment->find_list("one").window_numbered(0);
  ASSERT_EQ(window.count(), 3u);
  EXPECT_EQ(window.impacts()[0], window.impacts()[1]);
  EXPECT_GT(window.impacts()[1], window.impacts()[2]);
}

TEST_F(SegmentFile, KeepsTheLastItemOfAnId) {
  builder.add(item("a", 1, "first", "old words", "red"), kEnglish);
  builder.add(item("b", 1, "other", "text", "red"), kEnglish);
  builder.add(item("a", 2, "second", "new", "blue"), kEnglish);
  EXPECT_EQ(builder.documents(), 2u);
  const auto segment = written();
  EXPECT_EQ(segment->documents(), 2u);
  EXPECT_EQ(ids_of(*segment, segment->find_list("new")), (Ids{"a"}));
  EXPECT_EQ(segment->columns().ids().find("a"), 0u);
  StoreReader texts(segment->store());
  EXPECT_EQ(title_of(*texts.read(0)), "second");
  for (const char* term : {"first", "old", "word"}) EXPECT_FALSE(segment->dictionary().find(term)) << term;
}

TEST_F(SegmentFile, OmitsARemovedItem) {
  builder.add(item("a", 1, "first", "gone forever", "red"), kEnglish);
  builder.add(item("b", 1, "second", "text here", "blue"), kEnglish);
  EXPECT_TRUE(builder.remove("a"));
  EXPECT_EQ(builder.documents(), 1u);
  const auto segment = written();
  EXPECT_EQ(segment->documents(), 1u);
  EXPECT_EQ(segment->store().documents(), 1u);
  EXPECT_EQ(segment->columns().ids().find("a"), std::nullopt);
  EXPECT_EQ(segment->columns().category_names().size(), 1U);
  for (const char* term : {"first", "gone", "\x02red"}) EXPECT_FALSE(segment->dictionary().find(term)) << term;
  EXPECT_EQ(ids_of(*segment, segment->find_list("text")), (Ids{"b"}));
}

TEST_F(SegmentFile, ReportsWhetherAnItemWasRemoved) {
  EXPECT_FALSE(builder.remove("a"));
  builder.add(item("a", 1, "first", "text"), kEnglish);
  EXPECT_FALSE(builder.remove("b"));
  EXPECT_TRUE(builder.remove("a"));
  EXPECT_FALSE(builder.remove("a"));
  EXPECT_EQ(builder.documents(), 0u);
  builder.add(item("a", 1, "back", "again"), kEnglish);
  EXPECT_EQ(builder.documents(), 1u);
  const auto segment = written();
  EXPECT_EQ(ids_of(*segment, segment->find_list("back")), (Ids{"a"}));
}

TEST_F(SegmentFile, CanBeEmpty) {
  const auto segment = written();
  EXPECT_EQ(segment->documents(), 0u);
  EXPECT_EQ(segment->find_list("anything").documents(), 0u);
}

TEST_F(SegmentFile, IsRejectedWithADamagedTable) {
  builder.add(item("a", 1, "first", "text"), kEnglish);
  written();
  files.flip_bit("f/s", files.content("f/s").size() * 8 - 100);
  EXPECT_TRUE(failed(Segment::open(files, "f/s"), ErrorCode::Corrupt));
}

}  // namespace
}  // namespace kbase::tests
