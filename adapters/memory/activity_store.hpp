// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <shared_mutex>
#include <string>

#include "ports/driven/activity_store.hpp"

namespace kbase::memory {

/// View counts in memory, lost when the process ends. For tests and for servers without a data directory. Reads compute
/// their results from all counts, and add() waits for readers. Thread-safe. Contract suite:
/// plugins/conformance/activity_store_suite.
class MemoryActivityStore final : public ports::ActivityStore {
 public:
  Status add(ports::Call& call, const ports::JournalId& journal, std::uint64_t sequence,
             std::span<const ports::ViewIncrement> increments) override;
  Status set(ports::Call& call, std::string_view item, std::span<const ports::DayViews> days) override;
  Result<model::ViewsRevision> revision(ports::Call& call) override;
  Result<model::ViewsRevision> totals(ports::Call& call, model::ViewsRevision after,
                                      Visitor<ports::ItemViews> visitor) override;
  Status top(ports::Call& call, model::Day first, model::Day last, Visitor<ports::ItemViews> visitor) override;
  Status daily(ports::Call& call, model::Day first, model::Day last, Visitor<ports::DayViews> visitor) override;
  Status days(ports::Call& call, Visitor<ports::ViewIncrement> visitor) override;
  Status snapshot(ports::Call& call, Visitor<ports::JournalMark> journals,
                  Visitor<ports::ViewIncrement> counts) override;

 private:
  using Days = std::map<model::Day, std::uint64_t>;
  struct Counts {
    Days days;  // days without views are not stored
    std::uint64_t total = 0;
    model::ViewsRevision revision = 0;  // revision of the last change
  };

  void visit_days(Visitor<ports::ViewIncrement> visitor) const;

  std::shared_mutex mutex_;
  std::map<std::string, Counts, std::less<>> items_;
  std::map<ports::JournalId, std::uint64_t> sequences_;
  model::ViewsRevision revision_ = 0;
};

}  // namespace kbase::memory
