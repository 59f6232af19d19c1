// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "adapters/native_index/postings/posting_list.hpp"
#include "adapters/native_index/postings/posting_writer.hpp"

namespace kbase::native_index {

/// Disjunction of terms: documents that contain any of them.
using Disjunction = std::vector<PostingList>;

/// Condition that selects the documents of a segment. Unset members do not restrict it.
struct Matching {
  std::uint32_t documents = 0;             ///< number in the segment; limits the matches if nothing else does
  std::vector<Disjunction> required;       ///< conjunction: matches are in each of these
  Disjunction any;                         ///< matches are also in this, unless it is empty
  Disjunction excluded;                    ///< matches are in none of these
  std::span<const std::uint64_t> deleted;  ///< documents to drop, one bit each; may be empty
  std::uint32_t begin = 0;                 ///< first document that may match
  std::uint32_t end = std::numeric_limits<std::uint32_t>::max();  ///< end of the documents that may match

  bool is_bounded() const { return begin > 0 || end < documents; }
};

/// Matching documents of one window, ascending: a list if they are few, else a set.
class WindowMatches {
 public:
  bool is_set() const { return is_set_; }
  std::span<const std::uint16_t> documents() const { return documents_; }
  const WindowSet& set() const { return set_; }
  std::uint32_t count() const { return count_; }

 private:
  friend class Matcher;

  bool is_set_ = false;
  std::uint32_t count_ = 0;
  std::span<const std::uint16_t> documents_;  // of a posting list or of a buffer of the matcher; empty if it is a set
  WindowSet set_;
};

/// Evaluates a Matching, one window at a time. Reuses its memory across windows and queries. Not thread-safe.
class Matcher {
 public:
  /// Returns the matches in one window. Valid until the next call.
  const WindowMatches& match(const Matching& matching, std::uint32_t window);

 private:
  using Documents = std::vector<std::uint16_t>;

  /// A disjunction in the window.
  struct Operand {
    std::size_t begin, end;   // of its lists' windows in windows_; only those with documents
    std::uint32_t documents;  // upper bound
  };

  void open(const Disjunction& lists, std::uint32_t window);
  std::span<const Window> windows(const Operand& operand) const {
    return std::span(windows_).subspan(operand.begin, operand.end - operand.begin);
  }
  void start_with(const Operand& first);
  void start_with_all(std::uint32_t documents, std::uint32_t window);
  void intersect(const Operand& operand);
  void exclude(const Disjunction& other, std::uint32_t window);
  void exclude_deleted(std::span<const std::uint64_t> deleted, std::uint32_t window);
  void exclude_outside(const Matching& matching, std::uint32_t window);
  void merge(std::span<const std::uint16_t> documents);
  template <class IsKept> void keep_documents(IsKept is_kept);
  Documents& next_buffer() { return buffers_[buffer_ ^= 1]; }
  static void unite(std::span<const Window> windows, WindowSet& set);

  std::vector<Window> windows_;  // of the operands' lists
  std::vector<Operand> operands_;
  WindowMatches matches_;
  bool is_counted_ = false;  // whether the count of a set is known
  std::array<Documents, 2> buffers_;
  std::size_t buffer_ = 0;  // the other one is free
  Documents scratch_;       // parts of an intersection
  WindowSet other_;
};

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

  /// Positions of a list's posting.
  struct Reader {
    PositionReader positions;
    std::uint32_t position = 0;  ///< that was read last
    bool is_at_end = false;
  };

  /// A word of the phrase in one window.
  struct Word {
    std::uint32_t offset = 0;     ///< position relative to the start of the phrase
    std::uint64_t documents = 0;  ///< of all lists, in the window
    std::vector<WindowCursor> lists;
    std::vector<Occurrence> occurrences;  ///< for words of many lists, to avoid a lookup in each list
    std::size_t next_occurrence = 0;      ///< first one of the current document or a later one
    std::vector<Reader> readers;          ///< of the lists that have the current document
  };

  void open(std::span<const Disjunction> words, std::uint32_t window);
  void gather_occurrences(Word& word, std::span<const std::uint16_t> documents);
  bool contains_phrase(std::uint16_t document);
  static std::optional<std::uint32_t> find_position(Word& word, std::uint64_t position);
  static void open_readers(Word& word, std::uint16_t document);
  static void open_reader(Word& word, WindowCursor& list, std::uint16_t document);

  Matcher matcher_;
  std::vector<std::uint16_t> listed_;
  WindowSet candidates_;     // candidates of the window, used by gather_occurrences()
  std::vector<Word> words_;  // rarest first, as it leaves the fewest starts
  PostingBuffer found_;
};

}  // namespace kbase::native_index
