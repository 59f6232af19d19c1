// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "adapters/opensearch/indices.hpp"
#include "adapters/opensearch/server.hpp"
#include "domain/base/function_ref.hpp"
#include "domain/base/result.hpp"
#include "ports/driven/activity_store.hpp"
#include "ports/driven/event_log.hpp"
#include "ports/driven/search_index.hpp"

namespace kbase::opensearch {

/// Sends whole documents to one index, some megabytes per request, one request at a time and so in order. Each document
/// has a version and never replaces a newer one (version_type external_gte), so sending a document twice or late does
/// no harm. Documents that OpenSearch rejected as overloaded are sent again, and so are lost requests. Not thread-safe.
class BulkWriter {
 public:
  /// `alias`: write alias of the index. It is removed together with the index, so a late write cannot create the index
  /// again.
  BulkWriter(const Server& server, const std::string& alias, std::size_t max_bytes);

  /// Adds a document. Sends the full request first if needed, without waiting for the response; call wait() before
  /// `call` ends. Errors: those of the previous request.
  Status add(ports::Call& call, const BulkDocument& lines, std::uint64_t version);

  /// Sends the remaining documents.
  Status send(ports::Call& call);

  /// Waits for the response to the request in progress. Conflict: a stored document is newer, or the index was removed.
  Status wait(ports::Call& call);

 private:
  void begin(ports::Call& call);
  Status check_items(const Json& response, bool& is_busy) const;

  const Server& server_;
  const std::string path_;
  const std::size_t max_bytes_;
  std::string next_;                                 // request being filled
  std::size_t documents_ = 0;                        // number of documents in it
  std::string sent_;                                 // request in progress
  std::unique_ptr<Server::PendingRequest> pending_;  // null: no request in progress
};

/// Documents of a batch until its commit, in an unnamed file that disappears with the process. Not thread-safe.
class Spool {
 public:
  /// Creates the folder if it is missing. Unavailable: the folder, or a file in it, cannot be created.
  static Result<Spool> open(const std::filesystem::path& folder);

  /// Unavailable: the disk is full.
  Status add(const BulkDocument& lines);

  /// Passes every document to the visitor once, in order. Stops at the first error of the visitor.
  Status read(FunctionRef<Status(const BulkDocument&)> visitor);

 private:
  struct FileCloser {
    void operator()(std::FILE* file) const noexcept { std::fclose(file); }
  };
  explicit Spool(std::FILE* file, std::filesystem::path folder) : file_(file), folder_(std::move(folder)) {}

  Error io_error(std::string_view operation) const;

  std::unique_ptr<std::FILE, FileCloser> file_;
  std::filesystem::path folder_;
};

/// Counted view totals that this process knows, and those that are not yet written to the index. Thread-safe.
///
/// The caller passes only what the index lacks; totals that other servers wrote to the index may be missing here.
class CountedViews {
 public:
  /// Adds totals that changed between the revision `index_revision` of `index` and `revision`, or a part of them. If
  /// another index has replaced `index` between two parts, the earlier parts become pending again.
  void set(std::span<const ports::ItemViews> totals, std::string_view index, model::ViewsRevision index_revision,
           model::ViewsRevision revision) {
    const std::lock_guard lock(mutex_);
    if (is_last_part_ && pending_.empty()) current_update_.clear();
    if (index != index_) pending_.insert(current_update_.begin(), current_update_.end());
    index_ = index;
    for (const ports::ItemViews& each : totals) {
      totals_[std::string(each.item)] = each.views;
      pending_.emplace(each.item);
      current_update_.emplace(each.item);
    }
    is_last_part_ = revision != index_revision;
    revision_ = revision;
    if (index_revision <= complete_up_to_) complete_up_to_ = std::max(complete_up_to_, revision);
  }

  std::uint64_t total_of(std::string_view item) const {
    const std::lock_guard lock(mutex_);
    const auto found = totals_.find(std::string(item));
    return found == totals_.end() ? 0 : found->second;
  }

  /// Revision of the index once the pending totals are written.
  model::ViewsRevision revision() const {
    const std::lock_guard lock(mutex_);
    return revision_;
  }

  /// Revision up to which all totals are known here, in this or a later version. An index built only from them has this
  /// revision.
  model::ViewsRevision complete_up_to() const {
    const std::lock_guard lock(mutex_);
    return complete_up_to_;
  }

  /// Returns the items with pending totals. They stay pending until given() is called.
  std::vector<std::string> pending() const {
    const std::lock_guard lock(mutex_);
    return {pending_.begin(), pending_.end()};
  }

  void mark_written(const std::vector<std::string>& items) {
    const std::lock_guard lock(mutex_);
    for (const std::string& each : items) pending_.erase(each);
  }

 private:
  mutable std::mutex mutex_;
  std::unordered_map<std::string, std::uint64_t> totals_;
  std::unordered_set<std::string> pending_;
  std::unordered_set<std::string> current_update_;  // items of the parts of the current update
  std::string index_;                               // index that they were written to
  bool is_last_part_ = true;
  model::ViewsRevision revision_ = 0;
  model::ViewsRevision complete_up_to_ = 0;
};

/// State shared by the writers; must outlive them.
struct WriterContext {
  const Server& server;
  const ports::Clock& clock;
  ports::EventLog* const log;  ///< null: no logging
  const Options& options;
  const std::string alias;
  const std::optional<text::Language> language;
  CountedViews views;
  std::mutex writing;                      ///< held while changing the published index
  std::atomic<bool> has_writer = false;    ///< a batch is open; only one at a time
  std::atomic<bool> purge_failed = false;  ///< a failed sweep was logged
  std::mutex mutex;                        ///< guards `abandoned`
  std::vector<std::string> abandoned{};    ///< unpublished indices to remove
};

/// Exclusive right to write a batch, released by the destructor.
class WriterSlot {
 public:
  static std::optional<WriterSlot> acquire(WriterContext& context);
  WriterSlot(WriterSlot&& other) noexcept : context_(std::exchange(other.context_, nullptr)) {}
  WriterSlot& operator=(WriterSlot&&) = delete;
  ~WriterSlot() {
    if (context_ != nullptr) context_->has_writer = false;
  }

 private:
  explicit WriterSlot(WriterContext& context) : context_(&context) {}
  WriterContext* context_;
};

/// A batch on top of the published state. It is stored in a file until its commit, because OpenSearch has no rollback:
/// an uncommitted batch never reaches the index. The version of its documents is the revision of the batch.
///
/// The commit writes a state marked open, the documents, and the closed state, and then publishes everything with one
/// refresh. A crash in between leaves an open state; the next batch starts at the same revision, so it contains all of
/// these documents, the same or newer ones. A crash before the refresh leaves an invisible closed state; the next
/// commit publishes it.
class UpdateWriter final : public ports::IndexWriter {
 public:
  /// Unsupported: the index has no state of the store `store_id`.
  static Result<std::unique_ptr<UpdateWriter>> begin(ports::Call& call, WriterContext& context, WriterSlot slot,
                                                     const StoredState& published, const model::StoreId& store_id);

  Status put(ports::Call& call, std::span<const model::ItemView* const> items) override;
  Status remove(ports::Call& call, std::string_view id) override;
  Status commit(ports::Call& call, model::Revision revision) override;

 private:
  UpdateWriter(WriterContext& context, WriterSlot slot, Spool spool, const StoredState& published);

  using ViewCounts = std::unordered_map<std::string, std::uint64_t>;  // by item, only existing items

  Result<ViewCounts> read_counted_views(ports::Call& call, std::span<const model::ItemView* const> items);
  Result<StoredState> mark_open(ports::Call& call);
  Status write_documents(ports::Call& call, model::Revision revision);
  bool purge_tombstones(ports::Call& call, std::int64_t before);

  WriterContext& context_;
  WriterSlot slot_;
  Spool spool_;
  const StoredState base_;                     // state that the batch is based on
  const model::ViewsRevision views_revision_;  // minimum views revision of all documents
  bool adds_items_ = false;
  DocumentMaker maker_;
};

/// A new index that is filled while searches use the old one, and replaces it at the commit.
class RebuildWriter final : public ports::IndexWriter {
 public:
  static Result<std::unique_ptr<RebuildWriter>> begin(ports::Call& call, WriterContext& context, WriterSlot slot,
                                                      const model::StoreId& store_id);
  ~RebuildWriter() override;

  Status put(ports::Call& call, std::span<const model::ItemView* const> items) override;
  Status remove(ports::Call& call, std::string_view id) override;
  Status commit(ports::Call& call, model::Revision revision) override;

 private:
  RebuildWriter(WriterContext& context, WriterSlot slot, std::string index, const model::StoreId& store_id,
                Result<std::optional<StoredState>> old);

  Status check_still_newest(ports::Call& call, model::Revision revision);

  WriterContext& context_;
  WriterSlot slot_;
  const std::string index_;
  const model::StoreId store_id_;
  const Result<std::optional<StoredState>> old_;  // state at the start; an error: no shard was available
  const model::ViewsRevision views_revision_;     // minimum views revision of all documents
  DocumentMaker maker_;
  BulkWriter bulk_;
  bool is_published_ = false;
};

/// Writes the pending counted views to the published index. Conflict: a batch is being written.
Status write_views(ports::Call& call, WriterContext& context, const StoredState& published);

}  // namespace kbase::opensearch
