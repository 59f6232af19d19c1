// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <mutex>
#include <semaphore>

#include "adapters/memory/snapshot.hpp"
#include "ports/driven/clock.hpp"
#include "ports/driven/item_store.hpp"
#include "ports/driven/random.hpp"

namespace kbase::memory {

/// The content in this process's memory, gone with it: `storage: memory`, and the store of tests. Readers work on the
/// snapshot of the last commit and wait for nobody; a commit takes some 10 ms for each 100,000 records there are.
///
/// Ownership: `clock` outlives the store; the store outlives its writer.
class MemoryItemStore final : public ports::ItemStore {
 public:
  MemoryItemStore(ports::Random& random, const ports::Clock& clock);

  Capabilities capabilities() const override;
  model::StoreId store_id() const override;
  model::Result<model::Revision> revision(ports::Call& call) override;
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
  model::Status health(ports::Call& call) override;

 private:
  friend class MemoryItemWriter;

  std::shared_ptr<const Snapshot> current() const;
  void publish(std::shared_ptr<const Snapshot> next);

  const ports::Clock& clock_;
  model::StoreId store_id_{};
  std::binary_semaphore writer_slot_{1};  // taken by the one writer; may be given back on another thread

  mutable std::mutex mutex_;  // of the two pointers, held for their copying alone
  std::shared_ptr<const Snapshot> current_ = std::make_shared<Snapshot>();
  // Kept until the next commit, so that no reader is the last owner of a snapshot and has to tear it down.
  std::shared_ptr<const Snapshot> previous_;
};

}  // namespace kbase::memory
