// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "adapters/native_index/postings/posting_list.hpp"
#include "adapters/native_index/postings/window_set.hpp"

namespace kbase::native_index {

/// Documents that have any of some terms.
using Union = std::vector<PostingList>;

/// Which documents of a segment a query matches.
struct Matching {
  std::uint32_t documents = 0;             ///< of the segment; looked at only where nothing else says which match
  std::vector<Union> required;             ///< in each of these
  Union any;                               ///< and, unless empty, in one of these
  Union excluded;                          ///< and in none of these
  std::span<const std::uint64_t> deleted;  ///< nor in this set, a bit for each document; may be empty
  std::uint32_t begin = 0;                 ///< nor before this document
  std::uint32_t end = std::numeric_limits<std::uint32_t>::max();  ///< nor from this one on

  bool is_bounded() const { return begin > 0 || end < documents; }
};

/// The documents of one window that match, in ascending order: a list of them where they are few, else a set.
class WindowMatches {
 public:
  bool is_set() const { return is_set_; }
  std::span<const std::uint16_t> documents() const { return {documents_.data(), is_set_ ? 0 : count_}; }
  const WindowSet& set() const { return set_; }
  std::uint32_t count() const { return count_; }

 private:
  friend class Matcher;

  bool is_set_ = false;
  std::uint32_t count_ = 0;
  std::vector<std::uint16_t> documents_;
  WindowSet set_;
};

/// Finds what a query matches, a window at a time. Keeps its memory, so that one matcher serves many windows and
/// queries. One thread.
class Matcher {
 public:
  /// How many documents match in the whole segment of `windows` windows.
  std::uint64_t count(const Matching& matching, std::uint32_t windows);

  /// Valid until the next call.
  const WindowMatches& match(const Matching& matching, std::uint32_t window);

 private:
  void start(const Union& first, std::uint32_t window);
  void start_with_all(std::uint32_t documents, std::uint32_t window);
  void keep(const Union& other, std::uint32_t window);
  void drop(const Union& other, std::uint32_t window);
  void drop_deleted(std::span<const std::uint64_t> deleted, std::uint32_t window);
  void drop_outside(const Matching& matching, std::uint32_t window);
  void unite(const Union& lists, std::uint32_t window, WindowSet& set);
  void settle();

  std::vector<const Union*> order_;
  WindowMatches matches_;
  std::vector<std::uint16_t> kept_;
  WindowSet other_;
};

}  // namespace kbase::native_index
