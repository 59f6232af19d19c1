// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <optional>
#include <random>
#include <vector>

#include "adapters/native_index/postings/best_of_union.hpp"
#include "adapters/native_index/postings/kernels.hpp"
#include "adapters/native_index/postings/list_union.hpp"
#include "adapters/native_index/postings/posting_list.hpp"
#include "adapters/native_index/postings/posting_writer.hpp"

namespace kbase::native_index {
namespace {

struct Posting {
  std::uint8_t impact = 0;
  std::vector<std::uint32_t> positions;
};

using Postings = std::map<std::uint32_t, Posting>;  ///< by document
enum class With { Positions, NoPositions };

std::vector<std::uint32_t> all_of(PositionReader reader) {
  std::vector<std::uint32_t> positions;
  for (std::uint32_t position = 0; reader.next(position);) positions.push_back(position);
  return positions;
}

std::vector<std::uint32_t> ascending_positions(std::mt19937& random) {
  std::vector<std::uint32_t> positions;
  std::uint32_t next = static_cast<std::uint32_t>(random() % 3'000);
  for (std::size_t n = 1 + random() % 5; n > 0; --n) {
    positions.push_back(next);
    next += 1 + static_cast<std::uint32_t>(random() % (random() % 10 == 0 ? 100'000 : 80));
  }
  return positions;
}

/// `density` of every 1,000 documents below `bound` have the term.
Postings random_postings(std::uint32_t bound, std::uint32_t density, With with) {
  std::mt19937 random(bound + density);
  Postings postings;
  for (std::uint32_t document = 0; document < bound; ++document) {
    if (random() % 1'000 >= density) continue;
    Posting& posting = postings[document];
    posting.impact = static_cast<std::uint8_t>(1 + random() % 255);
    if (with == With::Positions) posting.positions = ascending_positions(random);
  }
  return postings;
}

void fill(PostingBuffer& buffer, const Postings& postings) {
  for (const auto& [document, posting] : postings) buffer.add(document, posting.impact, posting.positions);
}

MemoryPostingList list_of(const Postings& postings) {
  PostingBuffer buffer;
  fill(buffer, postings);
  return MemoryPostingList(buffer);
}

/// Reads a list through its windows and spans, like the ranking.
Postings read(const PostingList& list) {
  Postings postings;
  Window::SpanScratch scratch;
  for (std::uint32_t i = 0; i < list.windows(); ++i) {
    const Window window = list.window(i);
    for (std::uint32_t number = 0; number < kSpans; ++number) {
      const Span span = window.span(number);
      std::uint32_t rank = span.begin;
      for (const std::uint16_t document : window.documents(span, scratch)) {
        Posting& posting = postings[window.number() * kWindowDocuments + document];
        posting = {window.impacts()[rank], all_of(window.positions(rank))};
        ++rank;
      }
      EXPECT_EQ(rank, span.end);
    }
  }
  return postings;
}

void expect_equal(const Postings& read, const Postings& expected) {
  ASSERT_EQ(read.size(), expected.size());
  for (auto one = read.begin(), other = expected.begin(); one != read.end(); ++one, ++other) {
    ASSERT_EQ(one->first, other->first);
    ASSERT_EQ(one->second.impact, other->second.impact);
    ASSERT_EQ(one->second.positions, other->second.positions);
  }
}

/// Lists of all shapes: short and long, in one window and in many, arrays with and without spans, bitmaps.
std::vector<Postings> all_shapes() {
  std::vector<Postings> shapes;
  for (const With with : {With::Positions, With::NoPositions})
    for (const auto& [bound, density] : {std::pair{90'000U, 1U},
                                         {700'000U, 1U},
                                         {60'000U, 3U},
                                         {200'000U, 30U},
                                         {140'000U, 300U},
                                         {65'536U, 1'000U},
                                         {65'600U, 62U},
                                         {10'000U, 900U}})
      shapes.push_back(random_postings(bound, density, with));
  Postings far_apart;
  for (std::uint32_t i = 0; i < 127; ++i) far_apart[i * 33'000'000] = {static_cast<std::uint8_t>(i + 1), {i}};
  shapes.push_back(far_apart);
  shapes.push_back({{0xFFFFFFFF, {255, {0, 0xFFFFFFFF}}}});
  return shapes;
}

TEST(PostingList, ReturnsWhatWasWritten) {
  for (const Postings& postings : all_shapes()) {
    const MemoryPostingList memory = list_of(postings);
    EXPECT_EQ(memory.list().documents(), postings.size());
    EXPECT_EQ(memory.list().has_positions(), !postings.begin()->second.positions.empty());
    expect_equal(read(memory.list()), postings);
  }
}

TEST(PostingList, StoresARareWordInSevenBytesPlusItsPositions) {
  PostingWriter writer;
  writer.term().add(200'000, 50, std::vector<std::uint32_t>{300});
  writer.finish_term();
  writer.term().add(200'000, 50, std::vector<std::uint32_t>{30});
  writer.finish_term();
  EXPECT_EQ(writer.pending_bytes(), 7 + 2 + 1 /* lists begin at even offsets */ + 7 + 1);
}

TEST(PostingList, StoresItsLargestImpacts) {
  for (const Postings& postings : all_shapes()) {
    const MemoryPostingList memory = list_of(postings);
    std::vector<std::uint8_t> impacts;
    for (const auto& [document, posting] : postings) impacts.push_back(posting.impact);
    std::sort(impacts.rbegin(), impacts.rend());
    for (const std::size_t rank : kStoredRanks)
      EXPECT_EQ(memory.list().top_impact(static_cast<std::uint32_t>(rank)),
                rank <= impacts.size() ? impacts[rank - 1] : 0);
    EXPECT_EQ(memory.list().top_impact(20), memory.list().top_impact(32));
    EXPECT_EQ(memory.list().top_impact(257), 0);
  }
}

TEST(PostingList, FindsItsWindowsByNumber) {
  const MemoryPostingList memory = list_of({{5, {1, {}}}, {3 * kWindowDocuments, {2, {}}}});
  const PostingList& list = memory.list();
  EXPECT_EQ(list.windows(), 2U);
  EXPECT_EQ(list.window_numbered(0).count(), 1U);
  EXPECT_EQ(list.window_numbered(1).count(), 0U);
  EXPECT_EQ(list.window_numbered(3).max_impact(), 2);
  EXPECT_EQ(list.first_window_from(1), 1U);
  EXPECT_EQ(list.first_window_from(4), 2U);
}

TEST(PostingList, WithoutPostingsIsEmpty) {
  const MemoryPostingList memory{PostingBuffer()};
  EXPECT_EQ(memory.list().documents(), 0U);
  EXPECT_EQ(memory.list().top_impact(1), 0);
  EXPECT_EQ(memory.list().window_numbered(0).count(), 0U);
  EXPECT_EQ(WindowCursor(Window()).document(), WindowCursor::kEnd);
}

TEST(PostingList, CountsItsDocumentsInASet) {
  for (const Postings& postings : all_shapes()) {
    if (postings.rbegin()->first >= 1'000'000) continue;
    const std::size_t windows = postings.rbegin()->first / kWindowDocuments + 1;
    std::vector<std::uint64_t> set(windows * kWindowWords);
    for (std::uint64_t& word : set) word = 0x00F0'0000'1111'0003;
    std::uint32_t expected = 0;
    for (const auto& [document, posting] : postings)
      expected += (set[document / 64] >> (document % 64) & 1) != 0 ? 1 : 0;
    const MemoryPostingList memory = list_of(postings);
    EXPECT_EQ(memory.list().count_in(set), expected);
    EXPECT_EQ(memory.list().count_in({}), 0U);
  }
}

TEST(PostingList, StaysValidWhenItsMemoryMoves) {
  const Postings postings = random_postings(60'000, 100, With::Positions);
  MemoryPostingList first = list_of(postings);
  const PostingList view = first.list();
  const MemoryPostingList second = std::move(first);
  expect_equal(read(view), postings);
  expect_equal(read(second.list()), postings);
}

TEST(ListUnion, HasTheLargestImpactOfEachDocument) {
  ListUnion lists;
  for (const std::uint32_t windows : {1U, 3U}) {
    Postings expected;
    lists.begin(windows);
    for (const Postings& postings : all_shapes()) {
      lists.add(list_of(postings).list());
      for (const auto& [document, posting] : postings)
        if (document / kWindowDocuments < windows)
          expected[document].impact = std::max(expected[document].impact, posting.impact);
    }
    expect_equal(read(lists.take().list()), expected);
    EXPECT_EQ(lists.take().list().documents(), 0U);
  }
}

/// Documents in a DocumentSet's form.
std::vector<std::uint64_t> every_third_of(std::uint32_t windows) {
  std::vector<std::uint64_t> set(std::size_t{windows} * kWindowWords);
  for (std::uint32_t document = 0; document < windows * kWindowDocuments; document += 3)
    set[document / 64] |= std::uint64_t{1} << (document % 64);
  return set;
}

TEST(BestOfUnion, CountsTheDocumentsAndGathersTheBest) {
  BestOfUnion lists;
  PostingBuffer best;
  for (const std::uint32_t windows : {1U, 3U})
    for (const bool has_deleted : {false, true})
      for (const std::size_t size : {1U, 20U, 300U, 100'000U}) {
        const auto deleted = has_deleted ? every_third_of(windows) : std::vector<std::uint64_t>();
        std::map<std::uint32_t, std::uint8_t> united;
        lists.begin(windows, size, deleted);
        for (const Postings& postings : all_shapes()) {
          lists.add(list_of(postings).list());
          for (const auto& [document, posting] : postings)
            if (document / kWindowDocuments < windows && (!has_deleted || document % 3 != 0))
              united[document] = std::max(united[document], posting.impact);
        }
        std::vector<std::pair<std::uint32_t, std::uint8_t>> expected(united.begin(), united.end());
        std::stable_sort(expected.begin(), expected.end(), [](auto& a, auto& b) { return a.second > b.second; });
        expected.resize(std::min(expected.size(), size));
        std::sort(expected.begin(), expected.end());

        EXPECT_EQ(lists.take(best), united.size());
        ASSERT_EQ(best.documents().size(), expected.size());
        for (std::size_t i = 0; i < expected.size(); ++i)
          ASSERT_EQ(std::pair(best.documents()[i], best.impacts()[i]), expected[i]);
        EXPECT_EQ(lists.take(best), 0U);
        EXPECT_TRUE(best.empty());
      }
}

TEST(Window, BoundsTheImpactsOfItsSpans) {
  for (const Postings& postings : all_shapes()) {
    const MemoryPostingList memory = list_of(postings);
    for (std::uint32_t i = 0; i < memory.list().windows(); ++i) {
      const Window window = memory.list().window(i);
      const auto impacts = window.impacts();
      EXPECT_EQ(window.max_impact(), *std::max_element(impacts.begin(), impacts.end()));
      for (std::uint32_t number = 0; number < kSpans; ++number) {
        const Span span = window.span(number);
        EXPECT_EQ(window.spans()[number], span);
        const auto span_impacts = impacts.subspan(span.begin, span.end - span.begin);
        EXPECT_EQ(span.max_impact,
                  span_impacts.empty() ? 0 : *std::max_element(span_impacts.begin(), span_impacts.end()));
      }
    }
  }
}

TEST(Window, FindsDocuments) {
  for (const Postings& postings : all_shapes()) {
    const MemoryPostingList memory = list_of(postings);
    const Window window = memory.list().window(0);
    std::vector<std::uint16_t> documents;
    for (std::uint32_t document = 0; document < kWindowDocuments; document += document % 7 + 1)
      documents.push_back(static_cast<std::uint16_t>(document));
    std::vector<std::uint8_t> impacts(documents.size());
    window.impacts_of(documents, impacts.data());
    for (std::size_t i = 0; i < documents.size(); ++i) {
      const auto at = postings.lower_bound(window.number() * kWindowDocuments + documents[i]);
      const bool has = at != postings.end() && at->first == window.number() * kWindowDocuments + documents[i];
      ASSERT_EQ(window.contains(documents[i]), has);
      ASSERT_EQ(impacts[i], has ? at->second.impact : 0);
      if (i % 50 == 0) {
        ASSERT_EQ(window.rank(documents[i]), std::distance(postings.begin(), at) % (window.count() + 1));
      }
    }
  }
}

TEST(Window, FindsTheDocumentsOfItsPostings) {
  for (const Postings& postings : all_shapes()) {
    const MemoryPostingList memory = list_of(postings);
    const Window window = memory.list().window(0);
    std::vector<std::uint16_t> ranks;
    std::vector<std::uint16_t> expected;
    std::uint32_t rank = 0;
    for (auto each = postings.begin(); rank < window.count(); ++each, ++rank) {
      if (rank % 7 > 2 && rank % 1'000 > 500) continue;
      ranks.push_back(static_cast<std::uint16_t>(rank));
      expected.push_back(static_cast<std::uint16_t>(each->first));
    }
    window.documents_at(ranks, ranks.data());
    EXPECT_EQ(ranks, expected);
  }
}

TEST(Window, CombinesWithSets) {
  for (const Postings& postings : all_shapes()) {
    const MemoryPostingList memory = list_of(postings);
    const Window window = memory.list().window(0);
    WindowSet other;
    for (std::uint32_t document = 0; document < kWindowDocuments; document += 3)
      other.insert(static_cast<std::uint16_t>(document));
    WindowSet combined = other;
    WindowSet kept = other;
    WindowSet rest = other;
    window.unite_into(combined.words.data());
    window.intersect_into(kept.words.data());
    window.subtract_from(rest.words.data());
    std::uint32_t common = 0;
    for (std::uint32_t document = 0; document < kWindowDocuments; ++document) {
      const auto document16 = static_cast<std::uint16_t>(document);
      const bool in_list = postings.contains(window.number() * kWindowDocuments + document);
      const bool in_other = document % 3 == 0;
      ASSERT_EQ(combined.contains(document16), in_list || in_other);
      ASSERT_EQ(kept.contains(document16), in_list && in_other);
      ASSERT_EQ(rest.contains(document16), in_other && !in_list);
      common += in_list && in_other ? 1 : 0;
    }
    EXPECT_EQ(window.count_in(other.words.data()), common);
  }
}

TEST(Window, IntersectsWithDocuments) {
  for (const Postings& postings : all_shapes())
    for (const std::uint32_t step : {3U, 64U, 2'000U}) {
      const MemoryPostingList memory = list_of(postings);
      const Window window = memory.list().window(0);
      std::vector<std::uint16_t> documents;
      std::vector<std::uint16_t> expected;
      for (std::uint32_t document = 0; document < kWindowDocuments; document += step) {
        documents.push_back(static_cast<std::uint16_t>(document));
        if (postings.contains(window.number() * kWindowDocuments + document)) expected.push_back(documents.back());
      }
      std::vector<std::uint16_t> room(documents.size());
      const auto common = window.intersect(documents, room.data());
      EXPECT_EQ(std::vector<std::uint16_t>(common.begin(), common.end()), expected);
    }
}

TEST(WindowCursor, MovesForwardThroughAWindow) {
  for (const Postings& postings : all_shapes())
    for (const std::uint32_t step : {0U, 5U, 900U, 20'000U}) {
      const MemoryPostingList memory = list_of(postings);
      const Window window = memory.list().window(0);
      const std::uint32_t first = window.number() * kWindowDocuments;
      WindowCursor cursor(window);
      auto expected = postings.begin();
      while (cursor.document() != WindowCursor::kEnd) {
        ASSERT_EQ(first + cursor.document(), expected->first);
        ASSERT_EQ(cursor.impact(), expected->second.impact);
        ASSERT_EQ(cursor.rank(), window.rank(static_cast<std::uint16_t>(cursor.document())));
        const std::uint64_t next = std::uint64_t{expected->first} + 1 + step;
        expected = next > 0xFFFFFFFF ? postings.end() : postings.lower_bound(static_cast<std::uint32_t>(next));
        cursor.next_at_or_after(cursor.document() + 1 + step);
      }
      EXPECT_TRUE(expected == postings.end() || expected->first / kWindowDocuments > window.number());
      EXPECT_EQ(cursor.next(), WindowCursor::kEnd);
    }
}

TEST(WindowCursor, NeverMovesBackward) {
  const MemoryPostingList memory = list_of(random_postings(60'000, 200, With::NoPositions));
  WindowCursor cursor(memory.list().window(0));
  const std::uint32_t there = cursor.next_at_or_after(30'000);
  EXPECT_EQ(cursor.next_at_or_after(5), there);
}

TEST(PostingWriter, WritesTermsInPieces) {
  const std::vector<Postings> shapes = all_shapes();
  PostingWriter writer;
  std::vector<std::byte> postings;
  std::vector<std::byte> positions;
  std::vector<std::uint64_t> offsets;
  for (std::size_t i = 0; i < shapes.size(); ++i) {
    fill(writer.term(), shapes[i]);
    offsets.push_back(writer.finish_term());
    if (i % 3 != 2 && i + 1 < shapes.size()) continue;
    const PostingWriter::Output pieces = writer.take_output();
    postings.insert(postings.end(), pieces.postings.begin(), pieces.postings.end());
    positions.insert(positions.end(), pieces.positions.begin(), pieces.positions.end());
  }
  for (std::size_t i = 0; i < shapes.size(); ++i) {
    const auto list = PostingList::open(postings, offsets[i], positions);
    ASSERT_TRUE(list.has_value());
    expect_equal(read(*list), shapes[i]);
  }
}

TEST(PostingBuffer, AcceptsEncodedPositions) {
  const Postings with = random_postings(200'000, 30, With::Positions);
  const MemoryPostingList source = list_of(with);
  PostingBuffer merged;
  for (std::uint32_t i = 0; i < source.list().windows(); ++i) {
    const Window window = source.list().window(i);
    for (std::uint32_t rank = 0; rank < window.count(); ++rank)
      merged.add_encoded(window.number() * kWindowDocuments + window.array()[rank], window.impacts()[rank],
                         window.positions(rank).encoded());
  }
  expect_equal(read(MemoryPostingList(merged).list()), with);
}

TEST(PositionReader, ReadsTheEncodedPositionsOfOnePostingAfterAnother) {
  std::vector<std::uint8_t> bytes;
  append_positions(std::vector<std::uint32_t>{3, 7, 100'000}, bytes);
  const std::size_t first = bytes.size();
  append_positions(std::vector<std::uint32_t>{0}, bytes);
  const std::size_t second = bytes.size();
  bytes.push_back(0x81);  // a posting without an end
  PositionReader reader(bytes);
  const auto all = std::span<const std::uint8_t>(bytes);
  for (const auto& expected : {all.first(first), all.subspan(first, second - first)}) {
    const auto taken = reader.read_encoded();
    EXPECT_TRUE(std::equal(taken.begin(), taken.end(), expected.begin(), expected.end()));
    EXPECT_TRUE(ends_posting(taken));
  }
  EXPECT_FALSE(ends_posting(reader.read_encoded()));
  EXPECT_FALSE(ends_posting(reader.read_encoded()));
}

TEST(PostingList, RejectsAListThatDoesNotFit) {
  for (const Postings& postings : all_shapes()) {
    PostingWriter writer;
    fill(writer.term(), postings);
    writer.finish_term();
    const PostingWriter::Output pieces = writer.take_output();
    const auto opened = [&](std::size_t size) {
      return PostingList::open(std::span(pieces.postings).first(size), 0, pieces.positions);
    };
    EXPECT_TRUE(opened(pieces.postings.size()).has_value());
    for (std::size_t size = 0; size < std::min<std::size_t>(postings.size() * 2, 200); ++size) {
      const auto list = opened(size);
      ASSERT_FALSE(list.has_value());
      EXPECT_EQ(list.error().code, ErrorCode::Corrupt);
    }
    const bool needs_positions = !pieces.positions.empty();
    EXPECT_EQ(PostingList::open(pieces.postings, 0, {}).has_value(), !needs_positions);
    EXPECT_FALSE(PostingList::open(pieces.postings, 1, pieces.positions).has_value());
    EXPECT_FALSE(PostingList::open(pieces.postings, pieces.postings.size(), pieces.positions).has_value());
    EXPECT_FALSE(PostingList::open(pieces.postings, ~std::uint64_t{1}, pieces.positions).has_value());
  }
}

}  // namespace
}  // namespace kbase::native_index
