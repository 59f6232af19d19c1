// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <mutex>
#include <shared_mutex>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>

#include "ports/driven/activity_store.hpp"

namespace kbase::fts5 {

/// The counted views of all items, kept in memory beside the index: the host hands them over anew at each start.
/// Any thread.
class CountedViews {
 public:
  void set(std::span<const ports::ItemViews> totals, model::ViewsRevision revision) {
    const std::unique_lock lock(mutex_);
    for (const ports::ItemViews& each : totals) totals_[std::string(each.item)] = each.views;
    revision_ = revision;
  }

  /// One state of the counts, which stays as long as this lives.
  class Snapshot {
   public:
    explicit Snapshot(const CountedViews& views) : views_(views), lock_(views.mutex_) {}

    std::uint64_t of(std::string_view id) const {
      const auto found = views_.totals_.find(id);
      return found == views_.totals_.end() ? 0 : found->second;
    }
    model::ViewsRevision revision() const { return views_.revision_; }

   private:
    const CountedViews& views_;
    std::shared_lock<std::shared_mutex> lock_;
  };

 private:
  struct TextHash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const { return std::hash<std::string_view>()(text); }
  };

  mutable std::shared_mutex mutex_;
  std::unordered_map<std::string, std::uint64_t, TextHash, std::equal_to<>> totals_;
  model::ViewsRevision revision_ = 0;
};

}  // namespace kbase::fts5
