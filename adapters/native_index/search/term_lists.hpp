// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "adapters/native_index/commits/snapshot.hpp"
#include "adapters/native_index/postings/posting_list.hpp"

namespace kbase::native_index {

/// Posting lists of the terms of one search, each looked up in the dictionaries once: several steps of a search ask for
/// the same terms. Keeps its memory for the next search. Not thread-safe.
class TermLists {
 public:
  /// Begins a search of the snapshot, which must outlive the lists.
  void begin(const Snapshot& snapshot);

  /// Returns the term's list in a segment; empty if the segment lacks the term.
  PostingList find(std::string_view term, std::size_t segment);
  PostingList find(char mark, std::string_view name, std::size_t segment);

  /// Whether a live item has the term.
  bool has_item(std::string_view term);
  bool has_item(char mark, std::string_view name);

 private:
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};

  struct Term {
    std::size_t begin, size;  // in names_
    std::uint32_t next;       // term of the same bucket; kNone: none
  };

  std::size_t look_up(std::string_view term);
  std::string_view with_mark(char mark, std::string_view name);

  const Snapshot* snapshot_ = nullptr;
  std::vector<Term> terms_;
  std::array<std::uint32_t, 256> buckets_;  // first term of each, by hash
  std::string names_;
  std::vector<PostingList> lists_;  // of each term, one per segment
  std::string marked_;
};

}  // namespace kbase::native_index
