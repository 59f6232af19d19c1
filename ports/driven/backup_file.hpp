// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "domain/base/function_ref.hpp"
#include "domain/base/result.hpp"
#include "domain/model/api_key.hpp"
#include "domain/model/day.hpp"
#include "domain/model/ids.hpp"
#include "domain/model/item.hpp"
#include "ports/driven/activity_store.hpp"
#include "ports/driven/api_key_store.hpp"
#include "ports/driven/call.hpp"
#include "ports/driven/content_source.hpp"

namespace kbase::ports {

/// One record of a backup. Records are in the order of these alternatives, with categories, items and synonyms
/// interleaved: shared server state precedes content, so that a restore can make the content visible last. Items have
/// no excerpt; the restore computes it.
using BackupRecord = std::variant<model::ApiKey, KeyUsage, JournalMark, ActivityRecord, model::CategoryView,
                                  model::ItemView, model::SynonymsView>;

struct BackupCounts {
  std::uint64_t keys = 0, usage = 0, journals = 0, viewed = 0, categories = 0, items = 0, synonyms = 0;

  bool operator==(const BackupCounts&) const = default;
};

/// Describes the knowledge base that a backup was made from.
struct BackupHead {
  std::string instance;
  model::StoreId store_id{};
  model::Instant started{};  ///< when the backup started
};

/// Summary of a complete backup.
struct BackupSummary {
  BackupHead head;
  model::Revision revision = 0;  ///< revision of the content
  BackupCounts counts;
  std::array<std::uint8_t, 32> sha256{};  ///< digest of the records; two backups with the same digest have the same
                                          ///< content
};

/// Writes a backup: begin, then records, then finish. Single-threaded. Errors: Unavailable, with the file name and a
/// remedy in the message. After an error the only allowed operation is destruction; an existing file that was to be
/// replaced remains unchanged.
class BackupSink {
 public:
  virtual ~BackupSink() = default;
  virtual Status begin(const BackupHead& head) = 0;
  virtual Status put(const BackupRecord& record) = 0;
  /// Completes the backup of content at `revision`. Afterwards the whole backup is on disk under its final name.
  virtual Result<BackupSummary> finish(model::Revision revision) = 0;
};

/// Reads a backup for a restore. Single-threaded.
class BackupSource {
 public:
  virtual ~BackupSource() = default;

  /// The name as the user typed it.
  virtual std::string_view name() const = 0;

  /// Progress of the current read as a fraction from 0 to 1. nullopt: unknown.
  virtual std::optional<double> progress() const = 0;

  /// Visits all records; each call starts with the first. InvalidArgument, with the position and a remedy: the file is
  /// not a backup, has a newer format, is truncated or is corrupt; some records may have been visited before. A visitor
  /// that stops ends the call with Cancelled.
  virtual Result<BackupSummary> read(Call& call, Visitor<BackupRecord> visitor) = 0;
};

}  // namespace kbase::ports
