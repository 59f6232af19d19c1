// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "adapters/memory/item_store.hpp"
#include "adapters/memory/snapshot.hpp"

namespace kbase::memory {

/// Write batch of a MemoryItemStore: changed records on top of the snapshot at its start. Holds the writer slot of the
/// store until it is committed or destroyed. Not thread-safe.
class MemoryItemWriter final : public ports::ItemWriter {
 public:
  /// The caller must have acquired the writer slot.
  explicit MemoryItemWriter(MemoryItemStore& store);
  ~MemoryItemWriter() override;

  model::Status read(ports::Call& call, std::span<const std::string_view> ids, ports::ItemVisitor visitor) override;
  model::Status read_category(ports::Call& call, std::string_view id, ports::CategoryVisitor visitor) override;
  /// Returns InvalidArgument if the category of an item does not exist.
  model::Status put(ports::Call& call, std::span<const model::ItemView* const> items) override;
  model::Status put_category(ports::Call& call, const model::CategoryView& category) override;
  model::Result<bool> remove(ports::Call& call, std::string_view id) override;
  model::Result<bool> remove_category(ports::Call& call, std::string_view id) override;
  model::Result<model::Revision> commit(ports::Call& call) override;

 private:
  /// Returns the item with the changes of the batch applied, or null if it does not exist.
  const model::Item* item(std::string_view id) const;
  RecordPtr tombstone(ports::Change::Kind kind, std::string_view id);
  void give_back_slot();

  MemoryItemStore& store_;
  const std::shared_ptr<const Snapshot> before_;
  Changes changes_;
  Sums sums_;
  model::Revision revision_;
  bool has_slot_ = true;
};

}  // namespace kbase::memory
