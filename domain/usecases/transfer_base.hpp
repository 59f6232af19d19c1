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

/// The stores of a base, and its name among those that share servers. All outlive whoever is given them.
struct BaseParts {
  ports::ItemStore& items;
  ports::ActivityStore& activity;
  ports::ApiKeyStore& keys;
  const ports::Clock& clock;
  std::string_view instance;
};

/// Backups and their restoration (docs/operations/backup.md).
class TransferBase final : public ports::BaseTransfer {
 public:
  /// `open` is called once the base is needed, so that a backup which is refused leaves no new base behind; `instance`
  /// is the base's own. Both outlive the transfer.
  using Opener = std::function<model::Result<BaseParts>()>;
  TransferBase(std::string_view instance, Opener open) : instance_(instance), open_(std::move(open)) {}

  explicit TransferBase(const BaseParts& parts) : TransferBase(parts.instance, [parts] { return parts; }) {}

  model::Result<ports::BackupSummary> back_up(ports::Call& call, ports::BackupSink& sink,
                                              ports::BackupObserver& observer) override;
  model::Result<ports::BackupSummary> restore(ports::Call& call, ports::BackupSource& source,
                                              std::string_view from_instance, ports::BackupObserver& observer) override;

 private:
  const std::string_view instance_;
  const Opener open_;
};

}  // namespace kbase::usecases
