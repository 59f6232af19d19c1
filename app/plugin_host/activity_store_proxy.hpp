// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <kbase/activity_store.h>

#include <memory>

#include "app/plugin_host/instance.hpp"
#include "ports/driven/activity_store.hpp"

namespace kbase::plugin_host {

using ActivityStoreInstance = Instance<kb_activity_store_v1, kb_activity_store>;

/// Implements ports::ActivityStore with a plugin's table. Errors: see ItemStoreProxy.
class ActivityStoreProxy final : public ports::ActivityStore {
 public:
  explicit ActivityStoreProxy(std::unique_ptr<ActivityStoreInstance> instance);

  model::Status add(ports::Call& call, const ports::JournalId& journal, std::uint64_t sequence,
                    std::span<const ports::ViewIncrement> increments) override;
  model::Status set(ports::Call& call, std::string_view item, std::span<const ports::DayViews> days) override;
  model::Result<model::ViewsRevision> revision(ports::Call& call) override;
  /// Error: Cancelled if the visitor stopped.
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
  const std::unique_ptr<ActivityStoreInstance> instance_;
  const kb_activity_store_v1& table_;
  kb_activity_store* const store_;
};

}  // namespace kbase::plugin_host
