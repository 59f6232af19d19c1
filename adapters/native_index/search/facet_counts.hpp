// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <queue>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "adapters/native_index/commits/snapshot.hpp"
#include "adapters/native_index/query/matching.hpp"
#include "ports/driven/search_index.hpp"

namespace kbase::native_index {

/// A name and the number of items that have it.
struct NamedCount {
  std::string name;
  std::uint64_t items = 0;
};

/// Sorts by descending number of items, then by bytes.
inline bool is_before(const NamedCount& a, const NamedCount& b) {
  return a.items != b.items ? a.items > b.items : a.name < b.name;
}

/// Top-k heap of names by number of items; among equal numbers the first by bytes. Names must be added in ascending
/// byte order. Not thread-safe.
class TopNames {
 public:
  explicit TopNames(std::size_t limit) : limit_(limit) {}

  /// Whether the next name is among the top, given the names so far.
  bool takes(std::uint64_t items) const {
    return counts_.size() < limit_ || (limit_ > 0 && items > counts_.front().items);
  }

  void add(std::string_view name, std::uint64_t items) {
    if (!takes(items)) return;
    if (counts_.size() == limit_) {
      std::pop_heap(counts_.begin(), counts_.end(), is_before);
      counts_.pop_back();
    }
    counts_.push_back({std::string(name), items});
    std::push_heap(counts_.begin(), counts_.end(), is_before);
  }

  std::vector<NamedCount> take() {
    std::sort_heap(counts_.begin(), counts_.end(), is_before);
    return std::move(counts_);
  }

 private:
  std::size_t limit_;
  std::vector<NamedCount> counts_;  // heap with the lowest entry at the front
};

/// Merges sources that each yield names in ascending byte order and returns the most frequent names. Source::next()
/// moves to the next name (initially to the first) and returns false at the end; name(), items() and is_wanted()
/// describe the current name. A name that no source wants is left out.
template <class Source> std::vector<NamedCount> merge_top_names(std::vector<Source> sources, std::size_t limit) {
  const auto is_after = [](const Source* a, const Source* b) { return a->name() > b->name(); };
  std::priority_queue<Source*, std::vector<Source*>, decltype(is_after)> queue(is_after);
  std::vector<Source*> at_first;  // all sources at the first name
  for (Source& source : sources) at_first.push_back(&source);
  TopNames top(limit);
  while (true) {
    for (Source* const source : at_first)
      if (source->next()) queue.push(source);
    if (queue.empty()) return top.take();
    at_first.clear();
    std::uint64_t items = 0;
    do {
      at_first.push_back(queue.top());
      queue.pop();
      items += at_first.back()->items();
    } while (!queue.empty() && queue.top()->name() == at_first.front()->name());
    const auto is_wanted = [](const Source* source) { return source->is_wanted(); };
    if (top.takes(items) && std::any_of(at_first.begin(), at_first.end(), is_wanted))
      top.add(at_first.front()->name(), items);
  }
}

/// Counts a search's matches by each wanted facet. Not thread-safe.
class FacetCounts {
 public:
  /// The snapshot must outlive the object.
  FacetCounts(const Snapshot& snapshot, ports::FacetSelection selection);

  bool are_enabled() const { return selection_.any(); }

  /// Resets all counts to 0.
  void clear();

  /// Counts the matches in a window of a segment. `documents` lists them.
  void add(std::uint32_t segment, std::uint32_t window, const WindowMatches& matches,
           std::span<const std::uint16_t> documents);

  /// Returns the values with the most items, for each wanted facet.
  ports::Facets top_values() const;

 private:
  /// A value without a column: its name, its documents, and how many of them matched.
  struct CountedList {
    std::string name;
    PostingList list;
    std::uint64_t items = 0;
  };

  struct Counts {
    std::vector<std::uint32_t> categories;  // indexed by ordinal; empty: not wanted
    std::vector<std::uint32_t> tags;
    std::vector<CountedList> languages;  // in ascending byte order of their names
    std::vector<CountedList> versions;
  };

  class CountedNames;
  class CountedLists;
  static std::vector<CountedList> open_lists(const Segment& segment, char mark);
  static void add_lists(std::vector<CountedList>& lists, std::uint32_t window, const WindowMatches& matches,
                        std::span<const std::uint16_t> documents, std::vector<std::uint16_t>& scratch);

  const Snapshot& snapshot_;
  ports::FacetSelection selection_;
  std::vector<Counts> segments_;
  std::vector<std::uint16_t> scratch_;
};

}  // namespace kbase::native_index
