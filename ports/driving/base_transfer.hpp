// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "domain/base/result.hpp"
#include "ports/driven/backup_file.hpp"
#include "ports/driven/call.hpp"

namespace kbase::ports {

/// Receives the progress of a backup or a restore, on the thread that runs it.
class BackupObserver {
 public:
  enum class Step { Writing, Checking, Restoring };

  virtual ~BackupObserver() = default;
  /// `fraction` from 0 to 1; nullopt: unknown.
  virtual void on_progress(Step step, std::optional<double> fraction, std::uint64_t records) = 0;
  /// `what` is a sentence about data that a store does not support, and that the backup or the restored base therefore
  /// lacks.
  virtual void on_omission(std::string_view what) = 0;
};

/// Backup and restore of a whole knowledge base: content, keys, key usage and counted views. For the command line.
class BaseTransfer {
 public:
  virtual ~BaseTransfer() = default;

  /// Runs concurrently with servers and imports. The content is from one revision; the keys and the views are each from
  /// one snapshot.
  virtual Result<BackupSummary> back_up(Call& call, BackupSink& sink, BackupObserver& observer) = 0;

  /// Restores into an empty base, which a server may be serving. Accepts backups of this base's own instance and of
  /// `from_instance`. Empty: no other instance.
  ///
  /// Reads and verifies the whole backup before it opens the base. Writes the content as one batch, which becomes
  /// visible last. Repeating an interrupted restore continues it: keys and views written before are reused.
  /// InvalidArgument, with a remedy: not an acceptable backup, or the base is not empty. Conflict: an import is
  /// running.
  virtual Result<BackupSummary> restore(Call& call, BackupSource& source, std::string_view from_instance,
                                        BackupObserver& observer) = 0;
};

}  // namespace kbase::ports
