// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "domain/base/function_ref.hpp"
#include "domain/base/result.hpp"
#include "domain/model/ids.hpp"
#include "ports/driven/call.hpp"
#include "ports/driving/content_transfer.hpp"

namespace kbase::ports {

/// Returns whether a change may happen. `stored`: revision of the stored item; nullopt: there is no such item.
using WriteCondition = FunctionRef<bool(std::optional<model::Revision> stored)>;

enum class WriteOutcome {
  Created,
  Changed,
  Unchanged,     ///< the stored item was the same
  Removed,       ///< the item was removed
  NotPermitted,  ///< the condition was not met; nothing changed
};

struct WriteReport {
  WriteOutcome outcome = WriteOutcome::Unchanged;
  model::Revision revision = 0;  ///< of the item after the change; 0: it was removed, or nothing changed
};

/// What a client may choose about an import.
struct ImportRequest {
  std::string source;                              ///< name that owns the items
  bool is_archive = false;                         ///< the bytes are an archive of pages, not JSON Lines
  std::string prefix = {};                         ///< precedes ids and categories of pages, with a slash between
  PageIdChoice page_ids = PageIdChoice::AsBefore;  ///< of pages
  std::vector<std::string> map = {};               ///< names of members in JSON Lines, as in `kbase import --map`
  bool take_over = false;                          ///< see ImportOptions
  bool prune = false;
  unsigned prune_limit_percent = ImportOptions{}.prune_limit_percent;
  bool dry_run = false;
  OnError on_error = OnError::Stop;
};

/// A record that was not stored.
struct Rejection {
  std::string file;  ///< "body", or the path of a page in the archive, after "body/"
  std::uint64_t line = 0;
  std::string reason;
};

struct ImportResult {
  ImportReport report;
  std::vector<Rejection> rejections;  ///< the first kMaxRejections
  std::vector<std::string> notes;     ///< what the user should know besides, such as pages that were left out
  static constexpr std::size_t kMaxRejections = 100;
};

/// Changes of the content by clients. A change is durable when its call returns, and shows in searches like an import.
/// Any thread. Conflict: another change did not end in time, or the storage does not persist anything. Other errors are
/// those of the store.
class ContentWriting {
 public:
  virtual ~ContentWriting() = default;

  /// Inserts or replaces an item. `json`: the item as a line of an import, without its id. InvalidArgument: it is not a
  /// valid item.
  virtual Result<WriteReport> put_item(Call& call, std::string_view id, std::string_view json,
                                       WriteCondition condition) = 0;

  /// Removes an item. NotFound: there is no such item.
  virtual Result<WriteReport> remove_item(Call& call, std::string_view id, WriteCondition condition) = 0;

  /// Imports JSON Lines, which may be compressed by gzip, or an archive of pages, as one source. `next` returns the
  /// next bytes, empty at the end; they are stored before the import begins. InvalidArgument: a bad record under
  /// OnError::Stop, with its place in the message; nothing is stored. Conflict: another import is running; then nothing
  /// is read.
  virtual Result<ImportResult> import(Call& call, FunctionRef<Result<std::string>()> next,
                                      const ImportRequest& request) = 0;
};

}  // namespace kbase::ports
