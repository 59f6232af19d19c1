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

/// What writers share, which outlives them.
struct WriterContext {
  const Server& server;
  const ports::Clock& clock;
  ports::EventLog* const log;  ///< null: nobody listens
  const Options& options;
  const std::string alias;
  const std::optional<text::Language> language;
  CountedViews views;
  std::mutex writing;                    ///< held by whoever changes the published index
  std::atomic<bool> has_writer = false;  ///< there is one batch at a time
  std::atomic<bool> is_unswept = false;  ///< and the log says so
  std::mutex mutex;                      ///< of `abandoned`
  std::vector<std::string> abandoned{};  ///< indices that were never published, to be removed
};

/// The place of the one batch.
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

/// A batch on top of what there is. It waits in a file for its commit, since OpenSearch takes nothing back: what was
/// never committed was never there. The documents' version is the batch's revision.
///
/// The commit writes a state that says it is open, the documents, and the state that closes it, and then publishes all
/// of them by one refresh. Whoever dies in between leaves an open state; the next batch begins at the same revision, so
/// it has all of these documents too, newer or the same. Whoever dies before the refresh leaves a closed state that
/// nobody sees; the next commit publishes it.
class UpdateWriter final : public ports::IndexWriter {
 public:
  /// Unsupported: the index holds no state of `store_id`.
  static model::Result<std::unique_ptr<UpdateWriter>> begin(ports::Call& call, WriterContext& context, Place place,
                                                            const FoundState& published,
                                                            const model::StoreId& store_id);

  model::Status put(ports::Call& call, std::span<const model::ItemView* const> items) override;
  model::Status remove(ports::Call& call, std::string_view id) override;
  model::Status commit(ports::Call& call, model::Revision revision) override;

 private:
  UpdateWriter(WriterContext& context, Place place, Spool spool, const FoundState& published);

  using Counted = std::unordered_map<std::string, std::uint64_t>;  // by item, of those that are there

  model::Result<Counted> counted_in_index(ports::Call& call, std::span<const model::ItemView* const> items);
  model::Result<FoundState> open_state(ports::Call& call);
  model::Status write_documents(ports::Call& call, model::Revision revision);
  bool sweep(ports::Call& call, std::int64_t before);

  WriterContext& context_;
  Place place_;
  Spool spool_;
  const FoundState base_;                      // what the batch stands on
  const model::ViewsRevision views_revision_;  // that every document was made with, or a later one
  bool adds_items_ = false;
  DocumentMaker maker_;
};

/// A new index, which is filled while the old one answers, and takes its place at the commit.
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
  const model::Result<std::optional<FoundState>> old_;  // what there was when it began; an error: its shard was away
  const model::ViewsRevision views_revision_;           // that every document was made with, or a later one
  DocumentMaker maker_;
  Bulk bulk_;
  bool is_published_ = false;
};

/// Writes the counted views that wait into the published index. Conflict: a batch is being written.
model::Status write_views(ports::Call& call, WriterContext& context, const FoundState& published);

}  // namespace kbase::opensearch
