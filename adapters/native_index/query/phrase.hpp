// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "adapters/native_index/postings/memory_posting_list.hpp"
#include "adapters/native_index/postings/window_cursor.hpp"
#include "adapters/native_index/query/matching.hpp"

namespace kbase::native_index {

/// Finds the documents that have words side by side. Keeps its memory; one thread.
class PhraseFinder {
 public:
  /// Each word is any of its terms, all of which have positions. The impacts of the result mean nothing.
  MemoryPostingList find(std::span<const Union> words, std::uint32_t windows);

 private:
  /// A document that may match, and one of a word's lists that has it. In the order of documents.
  struct Place {
    std::uint16_t document;
    std::uint32_t list;

    auto operator<=>(const Place&) const = default;
  };

  /// A word of the phrase in one window.
  struct Word {
    std::uint32_t offset = 0;  ///< from the phrase's begin
    std::uint64_t documents = 0;
    std::vector<WindowCursor> lists;
    std::vector<Place> places;   ///< of a word of many lists, which are not asked for each document
    std::size_t next_place = 0;  ///< that is not of a document before
  };

  void open(std::span<const Union> words, std::uint32_t window);
  void gather_places(Word& word, std::span<const std::uint16_t> documents);
  bool stands_in(std::uint16_t document);
  void keep_begins_of(Word& word, std::uint16_t document);
  template <class Next>
  void keep_begins(std::uint32_t offset, Next next);
  void read(Word& word, std::uint16_t document);
  void read_from(WindowCursor& list, std::uint16_t document);
  static PositionReader positions_in(WindowCursor& list, std::uint16_t document);

  Matcher matcher_;
  std::vector<std::uint16_t> listed_;
  WindowSet may_match_;                   // of the window's documents, while places are gathered
  std::vector<Word> words_;               // the rarest first, since it leaves the fewest begins
  std::vector<std::uint32_t> begins_;     // where the phrase may begin
  std::vector<std::uint32_t> positions_;  // of a word
  PostingBuffer found_;
};

}  // namespace kbase::native_index
