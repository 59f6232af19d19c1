// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "domain/model/api_key.hpp"
#include "domain/model/category.hpp"
#include "domain/model/day.hpp"
#include "domain/model/function_ref.hpp"
#include "domain/model/ids.hpp"
#include "domain/model/item.hpp"
#include "domain/model/result.hpp"
#include "ports/driven/activity_store.hpp"
#include "ports/driven/api_key_store.hpp"
#include "ports/driven/call.hpp"
#include "ports/driven/content_source.hpp"

namespace kbase::ports {

/// One record of a backup. They come in the order of the alternatives, categories and items mixed: what servers share
/// before what they serve, so that a restore can make the content visible last. An item has no lead: it is computed.
using BackupRecord =
    std::variant<model::ApiKey, KeyUsage, JournalMark, ActivityRecord, model::CategoryView, model::ItemView>;

struct BackupCounts {
  std::uint64_t keys = 0, usage = 0, journals = 0, viewed = 0, categories = 0, items = 0;

  bool operator==(const BackupCounts&) const = default;
};

/// What a backup says of the base it was made of.
struct BackupHead {
  std::string instance;
  model::StoreId store_id{};
  model::Instant taken{};  ///< when it was begun
};

/// A whole backup in a few words.
struct BackupSummary {
  BackupHead head;
  model::Revision revision = 0;  ///< of the content that it holds
  BackupCounts counts;
  std::array<std::uint8_t, 32> sha256{};  ///< of its records: two backups with the same one are the same
};

/// Where a backup goes. One thread; begin, then records, then finish. Errors: Unavailable, with the name and the way
/// out; after one only destruction is of use, and a file that was to be replaced is left as it was.
class BackupSink {
 public:
  virtual ~BackupSink() = default;
  virtual model::Status begin(const BackupHead& head) = 0;
  virtual model::Status put(const BackupRecord& record) = 0;
  /// The content is of `revision`. Everything is on disk under its name.
  virtual model::Result<BackupSummary> finish(model::Revision revision) = 0;
};

/// A backup to restore. One thread.
class BackupSource {
 public:
  virtual ~BackupSource() = default;

  /// As the user named it.
  virtual std::string_view name() const = 0;

  /// How far the reading under way is, as a fraction from 0 to 1; nullopt: unknown.
  virtual std::optional<double> progress() const = 0;

  /// Visits every record, from the first one at each call. InvalidArgument, with place and way out: it is no backup,
  /// of a newer format, cut off, or not what was written; records may have been visited before that came out.
  /// A visitor that stops ends the call with Cancelled.
  virtual model::Result<BackupSummary> read(Call& call, model::Visitor<BackupRecord> visitor) = 0;
};

}  // namespace kbase::ports
