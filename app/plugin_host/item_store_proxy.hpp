// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <kbase/item_store.h>

#include <memory>

#include "app/plugin_host/instance.hpp"
#include "ports/driven/item_store.hpp"

namespace kbase::plugin_host {

using ItemStoreInstance = Instance<kb_item_store_v1, kb_item_store>;

/// Implements ports::ItemStore with a plugin's table. Errors: those of the port, and Internal if the plugin violated
/// the contract (see CallFrame, lent_rows.hpp).
class ItemStoreProxy final : public ports::ItemStore {
 public:
  explicit ItemStoreProxy(std::unique_ptr<ItemStoreInstance> instance);

  Capabilities capabilities() const override;
  model::StoreId store_id() const override { return store_id_; }
  model::Result<model::Revision> revision(ports::Call& call) override;
  model::Status wait(ports::Call& call, model::Revision after) override;
  model::Status get(ports::Call& call, std::string_view id, ports::ItemVisitor visitor) override;
  model::Status summaries(ports::Call& call, std::span<const std::string_view> ids,
                          ports::SummaryVisitor visitor) override;
  model::Status recent(ports::Call& call, std::optional<std::string_view> category, ports::Slice slice,
                       ports::SummaryVisitor visitor) override;
  model::Status category(ports::Call& call, std::string_view id, ports::CategoryVisitor visitor) override;
  model::Status categories(ports::Call& call, ports::Slice slice, ports::CategoryVisitor visitor) override;
  model::Result<ports::StoreTotals> totals(ports::Call& call, model::Day today) override;
  model::Status category_views(ports::Call& call, model::Visitor<ports::CategoryViews> visitor) override;
  model::Result<model::Revision> changes(ports::Call& call, model::Revision after,
                                         ports::ChangeVisitor visitor) override;
  model::Result<std::unique_ptr<ports::ItemWriter>> begin(ports::Call& call) override;
  model::Result<bool> try_lease(ports::Call& call, std::string_view name, std::string_view owner,
                                std::chrono::milliseconds ttl) override;
  model::Status health(ports::Call& call) override { return instance_->health(call); }

 private:
  bool can_wait() const noexcept;
  bool can_lease() const noexcept;

  const std::unique_ptr<ItemStoreInstance> instance_;
  const kb_item_store_v1& table_;
  kb_item_store* const store_;
  model::StoreId store_id_{};  // constant for the life of the store, so read once
};

}  // namespace kbase::plugin_host
