// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "adapters/native_index/postings/posting_writer.hpp"
#include "adapters/native_index/postings/window.hpp"
#include "adapters/native_index/query/matching.hpp"

namespace kbase::native_index {

/// Finds the documents that contain a phrase: words at adjacent positions. Reuses its memory. Not thread-safe.
class PhraseFinder {
 public:
  /// Each word is a disjunction of terms, all of which have positions. The impacts of the result are meaningless.
  MemoryPostingList find(std::span<const Disjunction> words, std::uint32_t windows);

 private:
  /// A document that may match, and one of a word's lists that contains it. Ordered by document.
  struct Occurrence {
    std::uint16_t document;
    std::uint32_t list;

    auto operator<=>(const Occurrence&) const = default;
  };

  /// A word of the phrase in one window.
  struct Word {
    std::uint32_t offset = 0;  ///< position relative to the start of the phrase
    std::uint64_t documents = 0;
    std::vector<WindowCursor> lists;
    std::vector<Occurrence> occurrences;  ///< for words of many lists, to avoid a lookup in each list
    std::size_t next_occurrence = 0;      ///< first one of the current document or a later one
  };

  void open(std::span<const Disjunction> words, std::uint32_t window);
  void gather_occurrences(Word& word, std::span<const std::uint16_t> documents);
  bool contains_phrase(std::uint16_t document);
  void filter_starts_by_word(Word& word, std::uint16_t document);
  template <class Next>
  void filter_starts(std::uint32_t offset, Next next);
  void read_positions(Word& word, std::uint16_t document);
  void append_list_positions(WindowCursor& list, std::uint16_t document);
  static PositionReader find_positions(WindowCursor& list, std::uint16_t document);

  Matcher matcher_;
  std::vector<std::uint16_t> listed_;
  WindowSet candidates_;                  // candidates of the window, used by gather_occurrences()
  std::vector<Word> words_;               // rarest first, as it leaves the fewest starts
  std::vector<std::uint32_t> starts_;     // possible start positions of the phrase
  std::vector<std::uint32_t> positions_;  // positions of one word
  PostingBuffer found_;
};

}  // namespace kbase::native_index
