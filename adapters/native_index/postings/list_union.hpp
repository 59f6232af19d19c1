// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "adapters/native_index/postings/posting_list.hpp"
#include "adapters/native_index/postings/posting_writer.hpp"

namespace kbase::native_index {

/// Unites any number of lists of a segment into one list that has, for each document, the largest of its impacts and no
/// positions. Takes 72 KiB per window of the segment, which are kept for the next union. Not thread-safe.
class ListUnion {
 public:
  /// Begins the next union. `windows` is the number of windows of the segment; documents beyond them are dropped.
  void begin(std::uint32_t windows);

  void add(const ShortList& list);
  void add(const PostingList& list);

  /// Returns the union of the lists added since begin(), and empties it.
  MemoryPostingList take();

 private:
  void add(const Window& window);
  void insert(std::uint32_t window, std::span<const std::uint16_t> documents, const std::uint8_t* list_impacts);
  std::uint64_t* words(std::uint32_t window) { return words_.data() + std::size_t{window} * kWindowWords; }
  std::uint8_t* impacts(std::uint32_t window) { return impacts_.data() + std::size_t{window} * kWindowDocuments; }

  std::vector<std::uint64_t> words_;   // documents of the union, one bit each; no bit is set between unions
  std::vector<std::uint8_t> impacts_;  // by document; all zero between unions
  std::uint32_t windows_ = 0;
  Window::SpanScratch scratch_;
  std::vector<std::uint16_t> documents_;      // of a window
  std::vector<std::uint8_t> united_impacts_;  // of these
};

}  // namespace kbase::native_index
