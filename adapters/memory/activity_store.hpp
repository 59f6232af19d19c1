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
  model::Status add(ports::Call& call, const ports::JournalId& journal, std::uint64_t sequence,
                    std::span<const ports::ViewIncrement> increments) override;
  model::Status set(ports::Call& call, std::string_view item, std::span<const ports::DayViews> days) override;
  model::Result<model::ViewsRevision> revision(ports::Call& call) override;
  model::Result<model::ViewsRevision> totals(ports::Call& call, model::ViewsRevision after,
                                             model::Visitor<ports::ItemViews> visitor) override;
  model::Status top(ports::Call& call, model::Day first, model::Day last,
                    model::Visitor<ports::ItemViews> visitor) override;
  model::Status daily(ports::Call& call, model::Day first, model::Day last,
                      model::Visitor<ports::DayViews> visitor) override;
  model::Status days(ports::Call& call, model::Visitor<ports::ViewIncrement> visitor) override;
  model::Status snapshot(ports::Call& call, model::Visitor<ports::JournalMark> journals,
                         model::Visitor<ports::ViewIncrement> counts) override;

 private:
  using Days = std::map<model::Day, std::uint64_t>;
  struct Counts {
    Days days;  // days without views are not stored
    std::uint64_t total = 0;
    model::ViewsRevision revision = 0;  // revision of the last change
  };

  void visit_days(model::Visitor<ports::ViewIncrement> visitor) const;

  std::shared_mutex mutex_;
  std::map<std::string, Counts, std::less<>> items_;
  std::map<ports::JournalId, std::uint64_t> sequences_;
  model::ViewsRevision revision_ = 0;
};

}  // namespace kbase::memory
