// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "domain/model/function_ref.hpp"
#include "domain/model/ids.hpp"
#include "domain/model/result.hpp"
#include "ports/driven/call.hpp"
#include "ports/driven/content_source.hpp"

namespace kbase::ports {

enum class OnError {
  Stop,  ///< the first bad record ends the import; nothing of its source is kept
  Skip,  ///< bad records are left out; every 1,000 records are a batch of their own
};

struct ImportOptions {
  OnError on_error = OnError::Stop;
  bool dry_run = false;               ///< report only
  bool prune = false;                 ///< remove what none of the sources has
  unsigned prune_limit_percent = 50;  ///< removing more of the items than this changes nothing and fails
};

struct ImportReport {
  std::uint64_t added = 0, changed = 0, unchanged = 0, removed = 0, rejected = 0, categories = 0, activity = 0;
  model::Revision revision = 0;  ///< of the store afterwards
};

/// What an import says while it works. One thread, the one that imports.
class ImportObserver {
 public:
  virtual ~ImportObserver() = default;
  virtual void on_progress(const ContentSource& source, std::uint64_t records) = 0;
  virtual void on_reject(const Place& place, const Reject& reject) = 0;
  /// A record that an earlier one of the same id in the same source gave way to.
  virtual void on_duplicate(const Place& place, std::string_view id) = 0;
  /// A record, bad ones too, has members that kbase knows nothing of.
  virtual void on_unknown(const ContentRecord& record) = 0;
  /// A source was read to its end, and no record was met.
  virtual void on_nothing(const ContentSource& source) = 0;
  /// Committed: what was told before is durable.
  virtual void on_batch(const ImportReport& so_far) = 0;
};

/// Content in and out, for the command line.
class ContentTransfer {
 public:
  virtual ~ContentTransfer() = default;

  /// Upserts by id. InvalidArgument: a bad record under OnError::Stop or an unreadable source; what was committed
  /// before stays, and `report` tells of it either way.
  virtual model::Status import(Call& call, std::span<ContentSource* const> sources, const ImportOptions& options,
                               ImportObserver& observer, ImportReport& report) = 0;

  /// Every category, item and activity there is.
  virtual model::Status export_to(Call& call, ContentSink& sink) = 0;

  /// Removes the items there are of `ids`; `visitor` is told each id that is not there.
  virtual model::Result<std::uint64_t> remove(Call& call, std::span<const std::string_view> ids,
                                              model::Visitor<std::string_view> visitor) = 0;
};

}  // namespace kbase::ports
