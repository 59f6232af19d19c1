// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "adapters/opensearch/bulk.hpp"
#include "adapters/opensearch/counted_views.hpp"
#include "adapters/opensearch/index_names.hpp"
#include "adapters/opensearch/spool.hpp"
#include "ports/driven/event_log.hpp"
#include "ports/driven/search_index.hpp"

namespace kbase::opensearch {

/// State shared by the writers; must outlive them.
struct WriterContext {
  const Server& server;
  const ports::Clock& clock;
  ports::EventLog* const log;  ///< null: no logging
  const Options& options;
  const std::string alias;
  const std::optional<text::Language> language;
  CountedViews views;
  std::mutex writing;                    ///< held while changing the published index
  std::atomic<bool> has_writer = false;  ///< a batch is open; only one at a time
  std::atomic<bool> is_unswept = false;  ///< a failed sweep was logged
  std::mutex mutex;                      ///< guards `abandoned`
  std::vector<std::string> abandoned{};  ///< unpublished indices to remove
};

/// Exclusive right to write a batch, released by the destructor.
class Place {
 public:
  static std::optional<Place> take(WriterContext& context);
  Place(Place&& other) noexcept : context_(std::exchange(other.context_, nullptr)) {}
  Place& operator=(Place&&) = delete;
  ~Place() {
    if (context_ != nullptr) context_->has_writer = false;
  }

 private:
  explicit Place(WriterContext& context) : context_(&context) {}
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
  static model::Result<std::unique_ptr<UpdateWriter>> begin(ports::Call& call, WriterContext& context, Place place,
                                                            const FoundState& published,
                                                            const model::StoreId& store_id);

  model::Status put(ports::Call& call, std::span<const model::ItemView* const> items) override;
  model::Status remove(ports::Call& call, std::string_view id) override;
  model::Status commit(ports::Call& call, model::Revision revision) override;

 private:
  UpdateWriter(WriterContext& context, Place place, Spool spool, const FoundState& published);

  using Counted = std::unordered_map<std::string, std::uint64_t>;  // by item, only existing items

  model::Result<Counted> counted_in_index(ports::Call& call, std::span<const model::ItemView* const> items);
  model::Result<FoundState> open_state(ports::Call& call);
  model::Status write_documents(ports::Call& call, model::Revision revision);
  bool sweep(ports::Call& call, std::int64_t before);

  WriterContext& context_;
  Place place_;
  Spool spool_;
  const FoundState base_;                      // state that the batch is based on
  const model::ViewsRevision views_revision_;  // minimum views revision of all documents
  bool adds_items_ = false;
  DocumentMaker maker_;
};

/// A new index that is filled while searches use the old one, and replaces it at the commit.
class RebuildWriter final : public ports::IndexWriter {
 public:
  static model::Result<std::unique_ptr<RebuildWriter>> begin(ports::Call& call, WriterContext& context, Place place,
                                                             const model::StoreId& store_id);
  ~RebuildWriter() override;

  model::Status put(ports::Call& call, std::span<const model::ItemView* const> items) override;
  model::Status remove(ports::Call& call, std::string_view id) override;
  model::Status commit(ports::Call& call, model::Revision revision) override;

 private:
  RebuildWriter(WriterContext& context, Place place, std::string index, const model::StoreId& store_id,
                model::Result<std::optional<FoundState>> old);

  model::Status check_still_newest(ports::Call& call, model::Revision revision);

  WriterContext& context_;
  Place place_;
  const std::string index_;
  const model::StoreId store_id_;
  const model::Result<std::optional<FoundState>> old_;  // state at the start; an error: no shard was available
  const model::ViewsRevision views_revision_;           // minimum views revision of all documents
  DocumentMaker maker_;
  Bulk bulk_;
  bool is_published_ = false;
};

/// Writes the pending counted views to the published index. Conflict: a batch is being written.
model::Status write_views(ports::Call& call, WriterContext& context, const FoundState& published);

}  // namespace kbase::opensearch
