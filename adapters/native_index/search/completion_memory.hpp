// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "adapters/native_index/search/completions.hpp"

namespace kbase::native_index {

/// Cache of complete() for short prefixes, which are the most frequent requests and match the most words. Holds results
/// of one index content, some hundred bytes for each of at most 4096 prefixes. Snapshots that differ only in view
/// counts share the results. Thread-safe.
class CompletionMemory {
 public:
  using Completions = std::shared_ptr<const std::vector<NamedCount>>;

  /// Returns the result of native_index::complete(), possibly with more than `limit` words. Never null.
  Completions complete(const Snapshot& snapshot, std::string_view beginning, std::size_t limit);

 private:
  struct Remembered {
    std::size_t limit = 0;
    Completions completions;
  };

  /// Parts of a segment that determine its words.
  struct Content {
    std::weak_ptr<const Segment> segment;
    std::weak_ptr<const DocumentSet> deleted;
  };

  Completions find(const Snapshot& snapshot, const std::string& beginning, std::size_t limit);
  void remember(const Snapshot& snapshot, std::string beginning, Remembered found);
  bool is_of(const Snapshot& snapshot) const;

  std::mutex mutex_;
  std::vector<Content> contents_;
  std::unordered_map<std::string, Remembered> remembered_;
};

}  // namespace kbase::native_index
