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

/// Counted view totals that this process knows, and those that are not yet written to the index. Thread-safe.
///
/// The caller passes only what the index lacks; totals that other servers wrote to the index may be missing here.
class CountedViews {
 public:
  /// Adds totals that changed between the revision `of_index` of `index` and `revision`, or a part of them. If another
  /// index has replaced `index` between two parts, the earlier parts become pending again.
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

  /// Revision of the index once the pending totals are written.
  model::ViewsRevision revision() const {
    const std::lock_guard lock(mutex_);
    return revision_;
  }

  /// Revision up to which all totals are known here, in this or a later version. An index built only from them has this
  /// revision.
  model::ViewsRevision complete_up_to() const {
    const std::lock_guard lock(mutex_);
    return complete_up_to_;
  }

  /// Returns the items with pending totals. They stay pending until given() is called.
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
  std::unordered_set<std::string> told_;  // items of the parts of the current update
  std::string index_;                     // index that they were written to
  bool is_last_part_ = true;
  model::ViewsRevision revision_ = 0;
  model::ViewsRevision complete_up_to_ = 0;
};

}  // namespace kbase::opensearch
