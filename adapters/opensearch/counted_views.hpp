// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "ports/driven/activity_store.hpp"

namespace kbase::opensearch {

/// The counted totals as this process was told them, and which of them the index was not given yet. Any thread.
class CountedViews {
 public:
  void set(std::span<const ports::ItemViews> totals, model::ViewsRevision revision) {
    const std::lock_guard lock(mutex_);
    for (const ports::ItemViews& each : totals) {
      totals_[std::string(each.item)] = each.views;
      waiting_.emplace(each.item);
    }
    revision_ = revision;
  }

  std::uint64_t of(std::string_view item) const {
    const std::lock_guard lock(mutex_);
    const auto found = totals_.find(std::string(item));
    return found == totals_.end() ? 0 : found->second;
  }

  model::ViewsRevision revision() const {
    const std::lock_guard lock(mutex_);
    return revision_;
  }

  /// Items whose totals wait. They wait on until given() says so.
  std::vector<std::string> waiting() const {
    const std::lock_guard lock(mutex_);
    return {waiting_.begin(), waiting_.end()};
  }

  void given(const std::vector<std::string>& items) {
    const std::lock_guard lock(mutex_);
    for (const std::string& each : items) waiting_.erase(each);
  }

 private:
  mutable std::mutex mutex_;
  std::unordered_map<std::string, std::uint64_t> totals_;
  std::unordered_set<std::string> waiting_;
  model::ViewsRevision revision_ = 0;
};

}  // namespace kbase::opensearch
