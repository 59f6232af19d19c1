// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <kbase/item_store.h>

#include "app/plugin_host/item_store_proxy.hpp"
#include "ports/driven/item_store.hpp"

namespace kbase::plugin_host {

/// A batch of a plugin's item store; the destructor aborts it if it was not committed. The instance must outlive it.
class ItemWriterProxy final : public ports::ItemWriter {
 public:
  ItemWriterProxy(ItemStoreInstance& instance, kb_item_writer* writer);
  ~ItemWriterProxy() override;

  model::Status read(ports::Call& call, std::span<const std::string_view> ids, ports::ItemVisitor visitor) override;
  model::Status read_category(ports::Call& call, std::string_view id, ports::CategoryVisitor visitor) override;
  model::Status put(ports::Call& call, std::span<const model::ItemView* const> items) override;
  model::Status put_category(ports::Call& call, const model::CategoryView& category) override;
  model::Result<bool> remove(ports::Call& call, std::string_view id) override;
  model::Result<bool> remove_category(ports::Call& call, std::string_view id) override;
  model::Result<model::Revision> commit(ports::Call& call) override;

 private:
  ItemStoreInstance& instance_;
  const kb_item_store_v1& table_;
  kb_item_writer* writer_;  // null: the batch has ended
  sdk::ToC to_c_;
};

}  // namespace kbase::plugin_host
