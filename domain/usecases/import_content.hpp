// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>

#include "domain/usecases/import_batch.hpp"
#include "ports/driven/clock.hpp"
#include "ports/driving/content_transfer.hpp"

namespace kbase::usecases {

/// One run of an import: splits records into batches, handles bad records, and prunes at the end.
class ImportContent {
 public:
  /// All must outlive the object.
  struct Parts {
    ports::ItemStore& items;
    ports::ActivityStore& activity;
    const ports::Clock& clock;
    ports::ImportObserver& observer;
  };
  ImportContent(const Parts& parts, const ports::ImportOptions& options, ports::ImportReport& report)
      : parts_(parts), options_(options), report_(report) {}

  model::Status run(ports::Call& call, std::span<ports::ContentSource* const> sources);

 private:
  bool is_one_batch() const { return options_.prune || options_.dry_run; }
  model::Status import_source(ports::Call& call, ports::ContentSource& source);
  model::Status acquire(ports::Call& call, ports::ContentSource& source, const ports::ContentRecord& record);
  model::Status reject(const ports::Place& place, const ports::Reject& reject);
  model::Status prune(ports::Call& call);
  model::Status open_batch(ports::Call& call);
  model::Status close_batch(ports::Call& call);
  model::Status check_prune_limit(std::uint64_t removed, std::uint64_t existing) const;

  Parts parts_;
  const ports::ImportOptions& options_;
  ports::ImportReport& report_;
  MetIds met_;
  std::optional<ImportBatch> batch_;
  std::uint64_t records_in_batch_ = 0;
  std::uint64_t records_in_source_ = 0;
};

}  // namespace kbase::usecases
