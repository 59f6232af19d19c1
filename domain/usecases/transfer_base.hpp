// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string_view>
#include <utility>

#include "ports/driven/activity_store.hpp"
#include "ports/driven/api_key_store.hpp"
#include "ports/driven/clock.hpp"
#include "ports/driven/item_store.hpp"
#include "ports/driving/base_transfer.hpp"

namespace kbase::usecases {

/// The stores of a knowledge base, and its instance name. All must outlive the user of this struct.
struct KnowledgeBase {
  ports::ItemStore& items;
  ports::ActivityStore& activity;
  ports::ApiKeyStore& keys;
  const ports::Clock& clock;
  std::string_view instance;
};

/// Backup and restore (docs/operations/backup.md).
class TransferBase final : public ports::BaseTransfer {
 public:
  /// `open` is called only when the base is needed, so that a rejected backup does not create a base. `instance` is the
  /// base's own name; its text must outlive the object.
  using Opener = std::function<Result<KnowledgeBase>()>;
  TransferBase(std::string_view instance, Opener open) : instance_(instance), open_(std::move(open)) {}

  explicit TransferBase(const KnowledgeBase& base) : TransferBase(base.instance, [base] { return base; }) {}

  Result<ports::BackupSummary> back_up(ports::Call& call, ports::BackupSink& sink,
                                       ports::BackupObserver& observer) override;
  Result<ports::BackupSummary> restore(ports::Call& call, ports::BackupSource& source, std::string_view from_instance,
                                       ports::BackupObserver& observer) override;

 private:
  const std::string_view instance_;
  const Opener open_;
};

}  // namespace kbase::usecases
