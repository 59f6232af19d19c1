// SPDX-License-Identifier: Apache-2.0
#include "tests/adapters/native_index/segment_fixtures.hpp"

#include <gtest/gtest.h>

#include <map>

#include "adapters/native_index/columns/columns.hpp"
#include "adapters/native_index/segments/segment.hpp"
#include "adapters/native_index/segments/segment_builder.hpp"
#include "tests/support/outcome.hpp"

namespace kbase::tests {

using namespace native_index;  // NOLINT: most of what a segment is made of

namespace {

const text::ItemLanguages kEnglish{*text::find_language("en")};

void add_to(SegmentBuilder& builder, const Item& item) {
  std::vector<std::string_view> tags(item.tags.begin(), item.tags.end());
  model::ItemView view;
  view.id = item.id;
  view.title = item.title;
  view.content = item.content;
  view.category = item.category;
  view.tags = tags;
  view.metadata.updated = model::Day(std::chrono::days(item.day));
  view.metadata.views = item.views;
  builder.add(view, kEnglish);
}

std::vector<std::uint16_t> documents_of(const Window& window) {
  if (!window.is_bitmap()) return {window.array().begin(), window.array().end()};
  std::vector<std::uint16_t> documents;
  for (std::uint32_t i = 0; i < kWindowDocuments; ++i)
    if ((window.words()[i / 64] >> (i % 64) & 1) != 0) documents.push_back(static_cast<std::uint16_t>(i));
  return documents;
}

std::map<std::string, std::vector<Posting>> lists_of(const Segment& segment) {
  std::map<std::string, std::vector<Posting>> lists;
  for (TermCursor term = segment.dictionary().all(); term.next();) {
    const PostingList list = segment.list(term.entry());
    EXPECT_EQ(list.documents(), term.entry().documents);
    lists[std::string(term.term())] = postings_of(list);
  }
  return lists;
}

/// Compares all sections byte by byte except the texts, whose blocks may be divided differently.
void expect_same_sections(const Segment& one, const Segment& other) {
  std::vector<SectionKind> kinds{kDictionarySection, kPostingsSection, kPositionsSection};
  kinds.insert(kinds.end(), std::begin(kColumnSections), std::end(kColumnSections));
  for (const SectionKind kind : kinds)
    EXPECT_TRUE(as_text(one.file().section(kind)) == as_text(other.file().section(kind))) << name_of(kind);
}

}  // namespace

SegmentPointer written(Files& files, const std::string& path, const Items& items) {
  SegmentBuilder builder;
  for (const Item& item : items) add_to(builder, item);
  auto file = SectionFileWriter::create(files, path, kSegmentFormat);
  EXPECT_TRUE(succeeded(file));
  EXPECT_TRUE(succeeded(builder.write(*file)));
  EXPECT_TRUE(succeeded(file->finish()));
  const auto opened = Segment::open(files, path);
  EXPECT_TRUE(succeeded(opened));
  return *opened;
}

SegmentPointer build_segment(const Items& items) {
  FaultyFiles files;
  return written(files, "f/at-once", items);
}

std::string id_of(const Segment& segment, std::uint32_t document) {
  IdBuffer buffer;
  return std::string(segment.columns().ids().id(document, buffer));
}

std::vector<Posting> postings_of(const PostingList& list) {
  std::vector<Posting> postings;
  for (std::uint32_t i = 0; i < list.windows(); ++i) {
    const Window window = list.window(i);
    std::uint32_t rank = 0;
    for (const std::uint16_t document : documents_of(window)) {
      postings.push_back({window.number() * kWindowDocuments + document, window.impacts()[rank], {}});
      PositionReader reader = window.positions(rank++);
      for (std::uint32_t position = 0; reader.next(position);) postings.back().positions.push_back(position);
    }
  }
  return postings;
}

void expect_same_documents(const Segment& one, const Segment& other) {
  ASSERT_EQ(one.documents(), other.documents());
  StoreReader texts(one.store());
  StoreReader other_texts(other.store());
  for (std::uint32_t document = 0; document < one.documents(); ++document) {
    EXPECT_EQ(id_of(one, document), id_of(other, document));
    EXPECT_EQ(one.columns().ids().find(id_of(one, document)), document);
    const auto text = texts.read(document);
    const auto other_text = other_texts.read(document);
    ASSERT_TRUE(succeeded(text));
    ASSERT_TRUE(succeeded(other_text));
    EXPECT_EQ(text->details, other_text->details);
    EXPECT_EQ(text->content, other_text->content);
    EXPECT_TRUE(std::equal(text->marks.begin(), text->marks.end(), other_text->marks.begin(), other_text->marks.end()));
  }
}

void expect_same(const Segment& one, const Segment& other) {
  expect_same_documents(one, other);
  const auto lists = lists_of(one);
  const auto other_lists = lists_of(other);
  for (const auto& [term, postings] : lists) {
    const auto same = other_lists.find(term);
    ASSERT_NE(same, other_lists.end()) << term;
    EXPECT_TRUE(postings == same->second) << term;
  }
  EXPECT_EQ(lists.size(), other_lists.size());
  expect_same_sections(one, other);
}

void Sources::add(const Items& items) {
  segments_.push_back(written(files_, "f/" + std::to_string(segments_.size()), items));
  deleted_.emplace_back((items.size() + 63) / 64);
}

void Sources::remove(std::size_t segment, const std::string& id) {
  const auto document = segments_[segment]->columns().ids().find(id);
  ASSERT_TRUE(document) << id;
  deleted_[segment][*document / 64] |= std::uint64_t{1} << (*document % 64);
}

std::vector<MergeSource> Sources::all() const {
  std::vector<MergeSource> sources;
  for (std::size_t i = 0; i < segments_.size(); ++i) sources.push_back({segments_[i].get(), deleted_[i]});
  return sources;
}

std::string RandomItems::words(std::size_t most, std::size_t vocabulary) {
  std::string text;
  for (std::size_t left = below(most + 1); left > 0; --left)
    text += "w" + std::to_string(below(1 + below(vocabulary))) + (below(6) == 0 ? ". " : " ");
  return text;
}

Item RandomItems::item(const std::string& id, std::size_t most_words, std::size_t vocabulary) {
  Item item{id, static_cast<int>(below(5)) - 2, words(4, vocabulary), words(most_words, vocabulary)};
  item.category = "c" + std::to_string(below(3));
  for (std::size_t tags = below(3); tags > 0; --tags) item.tags.push_back(words(2, vocabulary));
  item.views = below(1000);
  return item;
}

Items many_items(std::uint64_t seed, std::size_t count, std::size_t most_words) {
  RandomItems random(seed);
  Items items;
  for (std::size_t i = 0; i < count; ++i)
    items.push_back(random.item(std::to_string(seed) + "/" + std::to_string(i), most_words, 50));
  return items;
}

}  // namespace kbase::tests
