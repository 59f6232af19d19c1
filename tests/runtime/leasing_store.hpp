// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <mutex>
#include <string>
#include <vector>

#include "plugins/conformance/fixtures.hpp"
#include "tests/support/mocks/driven/item_store.hpp"
#include "tests/support/mocks/driven/search_index.hpp"
#include "tests/support/outcome.hpp"

namespace kbase::tests {

/// A store that only grants one lease. Thread-safe.
class LeasingStore {
 public:
  explicit LeasingStore(const ports::Clock& clock) : clock_(clock) {
    using trompeloeil::_;
    allowed_.push_back(NAMED_ALLOW_CALL(mock_, capabilities()).LR_RETURN(capabilities_));
    allowed_.push_back(NAMED_ALLOW_CALL(mock_, try_lease(_, _, _, _)).LR_RETURN(grant(_3, _4)));
    capabilities_.leases = true;
  }

  ports::ItemStore& port() { return mock_; }

  void go_away() {
    const std::lock_guard lock(mutex_);
    is_away_ = true;
  }
  void without_leases() { capabilities_.leases = false; }

  /// The owner of the lease; empty: no owner.
  std::string owner() {
    const std::lock_guard lock(mutex_);
    return clock_.steady() < until_ ? owner_ : std::string();
  }
  int acquires() {
    const std::lock_guard lock(mutex_);
    return acquires_;
  }

  /// Called after the lease was granted to a new owner.
  std::function<void()> on_given = [] {};

 private:
  Result<bool> grant(std::string_view owner, std::chrono::milliseconds ttl) {
    bool is_new = false;
    {
      const std::lock_guard lock(mutex_);
      ++acquires_;
      if (is_away_) return error_of(ErrorCode::Unavailable);
      if (clock_.steady() < until_ && owner != owner_) return false;
      is_new = owner_ != owner && ttl > ttl.zero();
      owner_ = ttl > ttl.zero() ? std::string(owner) : std::string();
      until_ = clock_.steady() + ttl;
    }
    if (is_new) on_given();
    return true;
  }

  const ports::Clock& clock_;
  std::mutex mutex_;
  bool is_away_ = false;
  int acquires_ = 0;
  std::string owner_;
  std::chrono::steady_clock::time_point until_{};
  ports::ItemStore::Capabilities capabilities_;
  MockItemStore mock_;
  std::vector<std::unique_ptr<trompeloeil::expectation>> allowed_;
};

/// A shared index that supports only the calls that a lease makes.
class SharedIndex {
 public:
  SharedIndex() {
    using trompeloeil::_;
    allowed_.push_back(NAMED_ALLOW_CALL(mock_, capabilities()).LR_RETURN(capabilities_));
    allowed_.push_back(NAMED_ALLOW_CALL(mock_, fingerprint()).RETURN("shared"));
    capabilities_.shared = true;
  }
  ports::SearchIndex& port() { return mock_; }
  void of_one_server() { capabilities_.shared = false; }

 private:
  ports::SearchIndex::Capabilities capabilities_;
  MockSearchIndex mock_;
  std::vector<std::unique_ptr<trompeloeil::expectation>> allowed_;
};

}  // namespace kbase::tests
