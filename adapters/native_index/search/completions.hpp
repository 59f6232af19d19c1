// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "adapters/native_index/commits/snapshot.hpp"
#include "adapters/native_index/search/facet_counts.hpp"

namespace kbase::native_index {

/// Returns words of the snapshot that are longer than `prefix` and begin with it, as spelled in the items, with item
/// counts. For a word that is also a stem, the count includes items with any of its forms. Sorted by descending count,
/// then by bytes; at most `limit`.
std::vector<NamedCount> complete(const Snapshot& snapshot, std::string_view prefix, std::size_t limit);

/// Cache of complete() for short prefixes, which are the most frequent requests and match the most words. Holds results
/// of one index content, some hundred bytes for each of at most 4096 prefixes. Snapshots that differ only in view
/// counts share the results. Thread-safe.
class CompletionCache {
 public:
  using Completions = std::shared_ptr<const std::vector<NamedCount>>;

  /// Returns the result of native_index::complete(), possibly with more than `limit` words. Never null.
  Completions complete(const Snapshot& snapshot, std::string_view prefix, std::size_t limit);

 private:
  struct CacheEntry {
    std::size_t limit = 0;
    Completions completions;
  };

  /// Parts of a segment that determine its words.
  struct Content {
    std::weak_ptr<const Segment> segment;
    std::weak_ptr<const DocumentSet> deleted;
  };

  Completions find(const Snapshot& snapshot, const std::string& prefix, std::size_t limit);
  void store(const Snapshot& snapshot, std::string prefix, CacheEntry entry);
  bool is_for(const Snapshot& snapshot) const;

  std::mutex mutex_;
  std::vector<Content> contents_;
  std::unordered_map<std::string, CacheEntry> cache_;
};

}  // namespace kbase::native_index
