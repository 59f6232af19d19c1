// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "domain/model/result.hpp"
#include "ports/driven/backup_file.hpp"
#include "ports/driven/call.hpp"

namespace kbase::ports {

/// What a backup or a restore says while it works. One thread, the one that works.
class BackupObserver {
 public:
  enum class Step { Writing, Checking, Restoring };

  virtual ~BackupObserver() = default;
  /// `fraction` from 0 to 1; nullopt: nobody knows.
  virtual void on_progress(Step step, std::optional<double> fraction, std::uint64_t records) = 0;
  /// A sentence on what a store cannot give or take, and the backup or the restored base so lacks.
  virtual void on_omission(std::string_view what) = 0;
};

/// A whole base out and in: content, keys, their use and counted views, for the command line.
class BaseTransfer {
 public:
  virtual ~BaseTransfer() = default;

  /// Works beside servers and imports: the content is of one revision, keys are of one state, and views of one.
  virtual model::Result<BackupSummary> back_up(Call& call, BackupSink& sink, BackupObserver& observer) = 0;

  /// Fills an empty base, which may be served meanwhile. `from_instance` is whose backups are taken beside those of
  /// this base's own instance; empty: nobody's.
  ///
  /// The base is not even opened before the whole backup was read and found good. The content is one batch, made
  /// visible last; what a restore that was cut short left of keys and views, the same restore takes up.
  /// InvalidArgument, with the way out: not such a backup, or the base is not empty. Conflict: an import is running.
  virtual model::Result<BackupSummary> restore(Call& call, BackupSource& source, std::string_view from_instance,
                                               BackupObserver& observer) = 0;
};

}  // namespace kbase::ports
