// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
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
///
/// It is told what the index lacks: what other servers gave the index, it need never have heard of.
class CountedViews {
 public:
  /// What changed between the revision of `index` and this one, or a part of it, with the index's own. If another index
  /// came in its place between two parts, the earlier ones wait again.
  void set(std::span<const ports::ItemViews> totals, std::string_view index, model::ViewsRevision of_index,
           model::ViewsRevision revision) {
    const std::lock_guard lock(mutex_);
    if (is_last_part_ && waiting_.empty()) told_.clear();
    if (index != index_) waiting_.insert(told_.begin(), told_.end());
    index_ = index;
    for (const ports::ItemViews& each : totals) {
      totals_[std::string(each.item)] = each.views;
      waiting_.emplace(each.item);
      told_.emplace(each.item);
    }
    is_last_part_ = revision != of_index;
    revision_ = revision;
    if (of_index <= complete_up_to_) complete_up_to_ = std::max(complete_up_to_, revision);
  }

  std::uint64_t of(std::string_view item) const {
    const std::lock_guard lock(mutex_);
    const auto found = totals_.find(std::string(item));
    return found == totals_.end() ? 0 : found->second;
  }

  /// That the index has once it was given what waits.
  model::ViewsRevision revision() const {
    const std::lock_guard lock(mutex_);
    return revision_;
  }

  /// Of whatever changed up to here the totals are known, or later ones: so much has an index that is made of them
  /// alone.
  model::ViewsRevision complete_up_to() const {
    const std::lock_guard lock(mutex_);
    return complete_up_to_;
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
  std::unordered_set<std::string> told_;  // by the parts of a telling up to now
  std::string index_;                     // that they went to
  bool is_last_part_ = true;
  model::ViewsRevision revision_ = 0;
  model::ViewsRevision complete_up_to_ = 0;
};

}  // namespace kbase::opensearch
