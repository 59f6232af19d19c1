// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "adapters/native_index/segments/segment.hpp"
#include "adapters/native_index/segments/segment_merger.hpp"
#include "tests/adapters/native_index/faulty_files.hpp"

/// Segments of generated items, and their content in plain form.
namespace kbase::tests {

struct Item {
  std::string id;
  int day = 0;
  std::string title;
  std::string content;
  std::string category = "shelf";
  std::vector<std::string> tags{};
  std::uint64_t views = 0;
};

using Items = std::vector<Item>;
using SegmentPointer = std::shared_ptr<const native_index::Segment>;

/// Writes a segment with SegmentBuilder, in English, and opens it.
SegmentPointer written(native_index::Files& files, const std::string& path, const Items& items);
SegmentPointer build_segment(const Items& items);

std::string id_of(const native_index::Segment& segment, std::uint32_t document);

struct Posting {
  std::uint32_t document;
  std::uint8_t impact;
  std::vector<std::uint32_t> positions;

  bool operator==(const Posting&) const = default;
};

std::vector<Posting> postings_of(const native_index::PostingList& list);

/// Compares ids and texts.
void expect_same_documents(const native_index::Segment& one, const native_index::Segment& other);

/// Compares everything, byte by byte except for the blocks of texts, which may differ.
void expect_same(const native_index::Segment& one, const native_index::Segment& other);

/// Segments and their deleted documents.
class Sources {
 public:
  void add(const Items& items);
  void remove(std::size_t segment, const std::string& id);

  std::vector<native_index::MergeSource> all() const;
  const native_index::Segment& operator[](std::size_t segment) const { return *segments_[segment]; }

 private:
  FaultyFiles files_;
  std::vector<SegmentPointer> segments_;
  std::vector<std::vector<std::uint64_t>> deleted_;
};

/// Generates words of a small vocabulary; its first words are much more frequent.
class RandomItems {
 public:
  explicit RandomItems(std::uint64_t seed) : random_(seed) {}

  std::uint64_t below(std::uint64_t limit) { return random_() % limit; }
  std::string words(std::size_t most, std::size_t vocabulary);
  Item item(const std::string& id, std::size_t most_words, std::size_t vocabulary);

 private:
  std::mt19937_64 random_;
};

/// Returns items with the ids "seed/0", "seed/1" and so on.
Items many_items(std::uint64_t seed, std::size_t count, std::size_t most_words);

}  // namespace kbase::tests
