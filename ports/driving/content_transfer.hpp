// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "domain/base/function_ref.hpp"
#include "domain/base/result.hpp"
#include "domain/model/ids.hpp"
#include "ports/driven/call.hpp"
#include "ports/driven/content_source.hpp"

namespace kbase::ports {

enum class OnError {
  Stop,  ///< the first bad record ends the import; nothing of its source is stored
  Skip,  ///< bad records are skipped; a batch has 1,000 records, see ImportOptions::one_batch
};

/// How pages get their ids.
enum class PageIdChoice {
  AsBefore,  ///< as the pages of the source that are stored; by path if no page is stored
  ByPath,
  ByName,
};

struct ImportOptions {
  OnError on_error = OnError::Stop;
  bool one_batch = false;             ///< all or nothing, even under Skip; a prune and a dry run always are one batch
  bool dry_run = false;               ///< only report
  bool prune = false;                 ///< remove items that the sources brought before and no longer contain
  unsigned prune_limit_percent = 50;  ///< removing a higher share of the items fails and changes nothing
  std::string source = {};            ///< name that owns the items; empty: that of each source (ContentSource::owner)
  std::string base_url = {};          ///< precedes addresses of items that are paths; empty: they stay paths
  bool take_over = false;             ///< items of other sources become items of this one; otherwise they are rejected
};

struct ImportReport {
  std::uint64_t added = 0, changed = 0, unchanged = 0, removed = 0, rejected = 0, categories = 0, activity = 0;
  std::uint64_t synonyms = 0;    ///< synonyms that were added, changed or removed
  std::uint64_t missing = 0;     ///< items that the sources brought before, no longer contain, and still exist
  bool is_incomplete = false;    ///< a source has pages that were not read, so nothing was pruned
  model::Revision revision = 0;  ///< revision of the store after the import
};

/// Receives the progress and messages of an import, on the thread that runs it.
class ImportObserver {
 public:
  virtual ~ImportObserver() = default;
  virtual void on_progress(const ContentSource& source, std::uint64_t records) = 0;
  /// `text`: the original bytes of the record; empty if it is a whole file, or too long.
  virtual void on_reject(const SourcePosition& position, std::string_view reason, std::string_view text) = 0;
  /// The record replaces an earlier one with the same id in the same source.
  virtual void on_duplicate(const SourcePosition& position, std::string_view id) = 0;
  /// The record, valid or not, has members that kbase does not know, or values that were ignored.
  virtual void on_unknown(const ContentRecord& record) = 0;
  /// The source was read to its end and contains no records.
  virtual void on_nothing(const ContentSource& source) = 0;
  /// A batch was committed: everything reported before is durable.
  virtual void on_batch(const ImportReport& so_far) = 0;
};

/// Import, export and deletion of content. For the command line.
class ContentTransfer {
 public:
  virtual ~ContentTransfer() = default;

  /// Inserts or replaces records by id. InvalidArgument: a bad record under OnError::Stop, or an unreadable source.
  /// Batches committed before remain stored; `report` covers them with every outcome.
  virtual Status import(Call& call, std::span<ContentSource* const> sources, const ImportOptions& options,
                        ImportObserver& observer, ImportReport& report) = 0;

  /// Writes all synonyms, categories, items and activity.
  virtual Status export_to(Call& call, ContentSink& sink) = 0;

  /// Removes the existing items of `ids` and returns their number. Visits each id that does not exist.
  virtual Result<std::uint64_t> remove(Call& call, std::span<const std::string_view> ids,
                                       Visitor<std::string_view> visitor) = 0;
};

}  // namespace kbase::ports
