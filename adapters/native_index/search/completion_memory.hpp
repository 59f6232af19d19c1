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

/// Answers complete() from memory where the beginning is short: those are asked for most, and have most words to look
/// at. Holds what it found in the newest content it was asked about, some hundred bytes for each of at most a few
/// thousand beginnings: snapshots that differ in their views alone go on alike. Any thread.
class CompletionMemory {
 public:
  using Completions = std::shared_ptr<const std::vector<NamedCount>>;

  /// As native_index::complete(); maybe more than `limit`. Never null.
  Completions complete(const Snapshot& snapshot, std::string_view beginning, std::size_t limit);

 private:
  struct Remembered {
    std::size_t limit = 0;
    Completions completions;
  };

  /// What a segment adds to the words.
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
