// SPDX-License-Identifier: Apache-2.0
#include "adapters/native_index/segments/segment_merger.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "adapters/native_index/segments/segment.hpp"
#include "tests/adapters/native_index/segment_fixtures.hpp"
#include "tests/support/outcome.hpp"

namespace kbase::tests {
namespace {

using namespace native_index;  // NOLINT: most of what a segment is made of

constexpr auto kNever = [] { return false; };

Result<DocumentMap> merge_into(Files& files, const std::vector<MergeSource>& sources,
                               FunctionRef<bool()> stop = kNever) {
  auto file = SectionFileWriter::create(files, "m/merged", kSegmentFormat);
  if (!file) return file.error();
  auto map = merge_segments(sources, *file, stop);
  if (!map) return map;
  if (const auto finished = file->finish(); !finished) return finished.error();
  return map;
}

struct Merged {
  SegmentPointer segment;
  DocumentMap map;
};

Merged merged(const Sources& sources) {
  FaultyFiles files;
  auto map = merge_into(files, sources.all());
  EXPECT_TRUE(succeeded(map));
  EXPECT_EQ(*files.list("m"), std::vector<std::string>{"merged"});
  const auto opened = Segment::open(files, "m/merged");
  EXPECT_TRUE(succeeded(opened));
  EXPECT_TRUE(succeeded((*opened)->file().verify()));
  return {*opened, *map};
}

Items concatenated(std::initializer_list<Items> parts) {
  Items all;
  for (const Items& part : parts) all.insert(all.end(), part.begin(), part.end());
  return all;
}

const Items kOld{{"a", 10, "Running home", "They run to the old house", "red", {"run", "house"}, 5},
                 {"c", 30, "Trees", "A tree and another tree", "blue", {}, 1},
                 {"e", 20, "Empty", "", "red", {"nothing"}}};
const Items kNew{{"b", 10, "House", "The houses of the running man", "green", {"man"}, 7},
                 {"d", 30, "", "tree", "blue", {}, 2}};
const Items kNewest{{"aa", 10, "Tree houses", "run, run, tree: run", "blue", {"tree"}, 1u << 31}};

TEST(SegmentMerger, BuildsTheSameSegmentAsASingleBuild) {
  Sources sources;
  for (const Items& items : {kOld, kNew, kNewest}) sources.add(items);
  expect_same(*merged(sources).segment, *build_segment(concatenated({kOld, kNew, kNewest})));
}

TEST(SegmentMerger, OmitsDeletedDocumentsAndTheirUniqueTerms) {
  Sources sources;
  sources.add(kOld);
  sources.add(kNew);
  sources.remove(0, "c");
  sources.remove(1, "b");
  const auto segment = merged(sources).segment;
  expect_same(*segment, *build_segment({kOld[0], kOld[2], kNew[1]}));
  EXPECT_FALSE(segment->dictionary().find("man"));
  EXPECT_FALSE(segment->dictionary().find("\x02green"));
}

TEST(SegmentMerger, ReturnsTheNewNumberOfEachDocument) {
  Sources sources;
  sources.add(kOld);
  sources.add(kNew);
  sources.remove(0, "e");
  const auto [segment, map] = merged(sources);
  ASSERT_EQ(map.size(), 2u);
  for (std::size_t source = 0; source < map.size(); ++source) {
    ASSERT_EQ(map[source].size(), sources[source].documents());
    for (std::uint32_t document = 0; document < map[source].size(); ++document) {
      const std::string id = id_of(sources[source], document);
      if (id == "e")
        EXPECT_EQ(map[source][document], kNoDocument);
      else
        EXPECT_EQ(id_of(*segment, map[source][document]), id);
    }
  }
}

TEST(SegmentMerger, RewritesOneSegmentWithoutItsDeletedDocuments) {
  Sources sources;
  sources.add(kOld);
  sources.remove(0, "a");
  expect_same(*merged(sources).segment, *build_segment({kOld[1], kOld[2]}));
}

TEST(SegmentMerger, AcceptsShortSetsOfDeletedDocuments) {
  Sources sources;
  sources.add(kOld);
  FaultyFiles files;
  ASSERT_TRUE(succeeded(merge_into(files, {{&sources[0], {}}})));
  expect_same(**Segment::open(files, "m/merged"), *build_segment(kOld));
}

TEST(SegmentMerger, CanWriteAnEmptySegment) {
  Sources sources;
  expect_same(*merged(sources).segment, *build_segment({}));
  sources.add(kNewest);
  sources.add({});
  sources.remove(0, "aa");
  expect_same(*merged(sources).segment, *build_segment({}));
}

/// The expected segment contains each id once, from the newest source that has it.
TEST(SegmentMerger, BuildsTheSameSegmentFromAnySequenceOfUpdates) {
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    RandomItems random(seed);
    Sources sources;
    std::map<std::string, std::pair<std::size_t, Item>> live;
    const std::size_t segments = 1 + random.below(5);
    for (std::size_t segment = 0; segment < segments; ++segment) {
      std::map<std::string, Item> batch;
      for (std::size_t i = random.below(30); i > 0; --i) {
        const std::string id = "id" + std::to_string(random.below(60));
        batch[id] = random.item(id, random.below(10) == 0 ? 2000 : 12, 1 + random.below(200));
      }
      Items items;
      for (const auto& [id, item] : batch) items.push_back(item);
      sources.add(items);
      for (const auto& [id, item] : batch) {
        if (const auto old = live.find(id); old != live.end()) sources.remove(old->second.first, id);
        live[id] = {segment, item};
      }
    }
    for (auto entry = live.begin(); entry != live.end();) {
      if (random.below(8) != 0) {
        ++entry;
        continue;
      }
      sources.remove(entry->second.first, entry->first);
      entry = live.erase(entry);
    }
    Items items;
    for (const auto& [id, entry] : live) items.push_back(entry.second);
    SCOPED_TRACE("seed " + std::to_string(seed));
    expect_same(*merged(sources).segment, *build_segment(items));
    if (HasFailure()) return;
  }
}

/// The lists contain bitmaps and arrays and extend over two windows.
TEST(SegmentMerger, MergesLongLists) {
  const Items one = many_items(1, 40'000, 3);
  const Items two = many_items(2, 35'000, 3);
  Sources sources;
  sources.add(one);
  sources.add(two);
  const auto segment = merged(sources).segment;
  EXPECT_EQ(segment->windows(), 2u);
  EXPECT_TRUE(segment->find_list("w0").window(0).is_bitmap());
  expect_same(*segment, *build_segment(concatenated({one, two})));
}

TEST(SegmentMerger, CopiesWholeBlocksOfTexts) {
  const Items one = many_items(3, 60, 60);
  const Items two = many_items(4, 40, 60);
  Sources sources;
  sources.add(one);
  sources.add(two);
  const auto segment = merged(sources).segment;
  expect_same_documents(*segment, *build_segment(concatenated({one, two})));
  const Store& store = segment->store();
  const Store& source = sources[0].store();
  ASSERT_GT(source.blocks(), 3u);
  EXPECT_EQ(store.block(0).bytes, source.block(0).bytes);
}

TEST(SegmentMerger, DoesNotKeepTheTextOfDeletedDocuments) {
  Sources sources;
  sources.add(many_items(3, 400, 60));
  for (int i = 0; i < 400; i += 40) sources.remove(0, "3/" + std::to_string(i));
  const auto segment = merged(sources).segment;
  EXPECT_EQ(segment->documents(), 390u);
  EXPECT_EQ(segment->store().texts(), 390u);
}

TEST(SegmentMerger, CombinesTheTextsOfSmallSegmentsInFullBlocks) {
  Sources sources;
  const Items items = many_items(5, 40, 10);
  for (const Item& item : items) sources.add({item});
  const auto segment = merged(sources).segment;
  expect_same(*segment, *build_segment(items));
  EXPECT_LT(segment->store().blocks(), 8u);
}

TEST(SegmentMerger, LearnsADictionaryOnceThereAreEnoughTexts) {
  Sources sources;
  const Items one = many_items(8, 400, 60);
  const Items two = many_items(9, 300, 60);
  sources.add(one);
  sources.add(two);
  EXPECT_EQ(sources[0].store().dictionary(), nullptr);
  const auto segment = merged(sources).segment;
  EXPECT_NE(segment->store().dictionary(), nullptr);
  expect_same_documents(*segment, *build_segment(concatenated({one, two})));
}

TEST(SegmentMerger, StopsWhenCancelled) {
  Sources sources;
  sources.add(many_items(6, 3000, 20));
  sources.add(many_items(7, 3000, 20));
  std::uint64_t all = 0;
  FaultyFiles files;
  ASSERT_TRUE(succeeded(merge_into(files, sources.all(), [&] { return ++all == 0; })));
  constexpr std::uint64_t kStops = 50;
  ASSERT_GT(all, kStops);
  for (std::uint64_t nth = 1; nth <= all; nth += 1 + all / kStops) {
    std::uint64_t checks = 0;
    EXPECT_TRUE(failed(merge_into(files, sources.all(), [&] { return ++checks == nth; }), ErrorCode::Cancelled));
    EXPECT_EQ(checks, nth);
    EXPECT_TRUE(files.list("m")->empty());
  }
}

/// There are so many positions that they are spooled to a file.
TEST(SegmentMerger, LeavesNoFileAfterAnyFailedOperation) {
  Sources sources;
  sources.add(many_items(8, 150, 9000));
  sources.add(many_items(9, 150, 9000));
  for (const Fault fault : {Fault::Fails, Fault::Tears})
    for (std::uint64_t nth = 2;; ++nth) {  // the first operation creates the file
      FaultyFiles files;
      files.inject_fault(nth, fault);
      const auto map = merge_into(files, sources.all());
      if (!files.was_fault_injected()) {
        const auto log = files.log();
        EXPECT_NE(std::find(log.begin(), log.end(), "create m/merged.posi"), log.end());
        break;
      }
      EXPECT_TRUE(failed(map, ErrorCode::Unavailable)) << files.log().back();
      EXPECT_TRUE(files.list("m")->empty()) << nth;
    }
}

TEST(SegmentMerger, RejectsADamagedSegment) {
  FaultyFiles files;
  written(files, "f/damaged", many_items(10, 300, 30));
  const std::size_t size = files.content("f/damaged").size();
  std::size_t opened = 0;
  for (std::size_t byte = 64; byte < size; byte += 97) {
    files.flip_bit("f/damaged", byte * 8);
    const auto segment = Segment::open(files, "f/damaged");
    files.flip_bit("f/damaged", byte * 8);
    if (!segment || (*segment)->file().verify()) continue;  // the bit may be between two sections
    ++opened;
    const auto map = merge_into(files, {{segment->get(), {}}});
    ASSERT_TRUE(failed(map, ErrorCode::Corrupt)) << byte;
    EXPECT_NE(map.error().detail.find("f/damaged"), std::string::npos) << map.error().detail;
    EXPECT_TRUE(files.list("m")->empty());
  }
  EXPECT_GT(opened, 10u);
}

TEST(SegmentMerger, RejectsTwoDocumentsWithTheSameId) {
  Sources sources;
  sources.add(kOld);
  sources.add(kOld);
  FaultyFiles files;
  EXPECT_TRUE(failed(merge_into(files, sources.all()), ErrorCode::Corrupt));
}

}  // namespace
}  // namespace kbase::tests
