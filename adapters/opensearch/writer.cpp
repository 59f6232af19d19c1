// SPDX-License-Identifier: Apache-2.0
#include "adapters/opensearch/writer.hpp"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "adapters/opensearch/indices.hpp"
#include "adapters/opensearch/server.hpp"
#include "domain/base/result.hpp"

namespace kbase::opensearch {
namespace {

/// Retention of tombstone documents: longer than any request can be in transit.
constexpr std::int64_t kTombstoneRetention = 24 * 60 * 60;  // seconds

/// Age in milliseconds after which an unpublished index counts as abandoned: this process holds the lease, so the index
/// belongs to a process that has lost it.
constexpr std::int64_t kAbandonedAge = 10 * 60 * 1000;

/// Version of the documents of a new index, which has no other writer.
constexpr std::uint64_t kFirstVersion = 0;

std::int64_t now_seconds(const ports::Clock& clock) {
  return std::chrono::floor<std::chrono::seconds>(clock.now().time_since_epoch()).count();
}

Status check_cancelled(const ports::Call& call) {
  if (!call.cancelled()) return {};
  return Error{ErrorCode::Cancelled, "The index update was cancelled."};
}

Status check_deadline(const ports::Call& call, const ports::Clock& clock) {
  if (clock.steady() <= call.deadline) return check_cancelled(call);
  return Error{ErrorCode::Deadline, "The index update took too long."};
}

void log_truncation(const WriterContext& context, const model::ItemView& item) {
  if (context.log == nullptr || item.content.size() <= kMaxContentBytes) return;
  const ports::LogField fields[] = {{"item", item.id}, {"bytes", std::uint64_t{item.content.size()}}};
  context.log->log(
      ports::LogLevel::Warning, "index.cut",
      "only the first " + std::to_string(kMaxContentBytes >> 20) + " MiB of an item's content are searched", fields);
}

}  // namespace

std::optional<WriterSlot> WriterSlot::acquire(WriterContext& context) {
  if (context.has_writer.exchange(true)) return std::nullopt;
  return WriterSlot(context);
}

// ------------------------------------------------------------------------------------------ UpdateWriter

Result<std::unique_ptr<UpdateWriter>> UpdateWriter::begin(ports::Call&, WriterContext& context, WriterSlot slot,
                                                          const StoredState& published,
                                                          const model::StoreId& store_id) {
  if (published.state.store_id != store_id) return rebuild_required();
  auto spool = KBASE_TRY(Spool::open(context.options.spool));
  return std::unique_ptr<UpdateWriter>(new UpdateWriter(context, std::move(slot), std::move(spool), published));
}

UpdateWriter::UpdateWriter(WriterContext& context, WriterSlot slot, Spool spool, const StoredState& published)
    : context_(context),
      slot_(std::move(slot)),
      spool_(std::move(spool)),
      base_(published),
      views_revision_(context.views.complete_up_to()),
      maker_(context.language) {}

Status UpdateWriter::put(ports::Call& call, std::span<const model::ItemView* const> items) {
  const auto counted = KBASE_TRY(read_counted_views(call, items));
  for (const model::ItemView* const item : items) {
    KBASE_TRY(check_cancelled(call));
    log_truncation(context_, *item);
    const auto known = counted.find(std::string(item->id));
    if (known == counted.end()) adds_items_ = true;
    // Counts normally only grow, so the larger one is the newer one. A count that was lowered, which is rare, can
    // reappear until the next view.
    const std::uint64_t views = std::max(known == counted.end() ? 0 : known->second, context_.views.total_of(item->id));
    KBASE_TRY(spool_.add(maker_.make_document(*item, views)));
  }
  return {};
}

/// Reads the counted views of existing items from the index: this process may not know them.
Result<UpdateWriter::ViewCounts> UpdateWriter::read_counted_views(ports::Call& call,
                                                                  std::span<const model::ItemView* const> items) {
  ViewCounts counted;
  if (items.empty()) return counted;
  Json ids = Json::array();
  for (const model::ItemView* const item : items) ids.push_back(document_id(item->id));
  const auto got = context_.server.execute(
      call, {.path = "/" + write_alias_for(base_.index) +
                     "/_mget?_source_includes=id,imported,views&filter_path=error,status,docs._source,docs.error",
             .body = serialize({{"ids", std::move(ids)}})});
  if (!got && got.error().code == ErrorCode::NotFound) return conflict_error(got.error().detail);
  if (!got) return got.error();
  const Json& documents = member(*got, "docs");
  if (!documents.is_array()) return counted;  // no item exists: empty members are left out
  for (const Json& each : documents) {
    KBASE_TRY(check_document(each));
    const Json& stored = member(each, "_source");
    if (text(stored, "id").empty()) continue;  // removed
    const std::uint64_t views = number(stored, "views").value_or(0);
    const std::uint64_t imported = number(stored, "imported").value_or(0);
    counted[std::string(text(stored, "id"))] = std::max(views, imported) - imported;
  }
  return counted;
}

Status UpdateWriter::remove(ports::Call& call, std::string_view id) {
  KBASE_TRY(check_cancelled(call));
  return spool_.add(make_tombstone(id, now_seconds(context_.clock)));
}

Status UpdateWriter::commit(ports::Call& call, model::Revision revision) {
  KBASE_TRY(check_deadline(call, context_.clock));
  const std::lock_guard lock(context_.writing);
  auto open = KBASE_TRY(mark_open(call));
  if (const auto put = write_documents(call, revision); !put) return put.error().during("write a batch");

  const std::int64_t now = now_seconds(context_.clock);
  const std::int64_t purge_before = now - kTombstoneRetention;
  State state = open.state;
  state.revision = revision;
  state.is_open = false;
  // New items have the view counts that this process knows; a lower revision makes the missing ones be sent again.
  if (adds_items_) state.views_revision = std::min(state.views_revision, views_revision_);
  if (state.tombstones_purged_at <= purge_before && purge_tombstones(call, purge_before))
    state.tombstones_purged_at = now;
  KBASE_TRY(write_state(context_.server, call, base_.index, state, &open));
  return refresh_index(context_.server, call, base_.index);
}

/// Marks the written state as open, if it is still the one that this batch is based on. Conflict: it is not.
Result<StoredState> UpdateWriter::mark_open(ports::Call& call) {
  auto before = read_written_state(context_.server, call, base_.index);
  if (!before && before.error().code == ErrorCode::NotFound) return conflict_error(before.error().detail);
  if (!before) return before.error();
  const State& state = before->state;
  if (state.revision != base_.state.revision || state.store_id != base_.state.store_id) {
    // Its writer may have crashed before the refresh, and no one else would publish it.
    const bool is_newer_and_whole =
        !state.is_open && state.store_id == base_.state.store_id && state.revision > base_.state.revision;
    if (is_newer_and_whole) KBASE_TRY(refresh_index(context_.server, call, base_.index));
    return conflict_error("the index is at revision " + std::to_string(state.revision) +
                          ", but the batch is based on revision " + std::to_string(base_.state.revision));
  }
  if (state.is_open) adds_items_ = true;  // the incomplete batch may have added items
  State open = state;
  open.is_open = true;
  return write_state(context_.server, call, base_.index, open, &*before);
}

Status UpdateWriter::write_documents(ports::Call& call, model::Revision revision) {
  BulkWriter bulk(context_.server, write_alias_for(base_.index), context_.options.bulk_bytes);
  auto read = spool_.read([&](const BulkDocument& lines) { return bulk.add(call, lines, revision); });
  if (read) read = bulk.send(call);
  const auto last = bulk.wait(call);
  return read ? last : read;
}

/// Starts the removal of old tombstone documents. Returns whether OpenSearch accepted it. If not, the next batch tries
/// again; searches never see tombstones.
bool UpdateWriter::purge_tombstones(ports::Call& call, std::int64_t before) {
  const Json old = {{"query", {{"range", {{"removed", {{"lt", before}}}}}}}};
  const auto begun = context_.server.execute(
      call,
      {.path = "/" + write_alias_for(base_.index) + "/_delete_by_query?conflicts=proceed&wait_for_completion=false",
       .body = serialize(old)});
  const bool is_news = !begun && !context_.purge_failed.exchange(true);
  if (begun) context_.purge_failed = false;
  if (is_news && context_.log != nullptr) {
    const ports::LogField cause[] = {{"cause", begun.error().detail}};
    context_.log->log(ports::LogLevel::Warning, "index.not_swept",
                      "cannot delete the tombstones of removed items; the next batch tries again", cause);
  }
  return begun.has_value();
}

// ---------------------------------------------------------------------------------------- RebuildWriter

Result<std::unique_ptr<RebuildWriter>> RebuildWriter::begin(ports::Call& call, WriterContext& context, WriterSlot slot,
                                                            const model::StoreId& store_id) {
  std::vector<std::string> abandoned;
  {
    const std::lock_guard lock(context.mutex);
    abandoned = std::exchange(context.abandoned, {});
  }
  for (const std::string& each : abandoned)
    if (const auto removed = remove_index(context.server, call, each); !removed) {
      const std::lock_guard lock(context.mutex);
      context.abandoned.push_back(each);
    }
  auto old = read_alias_state(context.server, call, context.alias);
  if (!old && !has_no_shard(old.error())) return old.error();
  const auto millis = std::chrono::floor<std::chrono::milliseconds>(context.clock.now().time_since_epoch()).count();
  // Remove what other processes left. An index that cannot be removed now is removed by the next publication.
  static_cast<void>(remove_leftovers(context.server, call, context.alias, millis - kAbandonedAge));
  auto index = create_index(context.server, call, context.options, context.alias, millis);
  if (!index) return index.error().during("create an index");
  return std::unique_ptr<RebuildWriter>(
      new RebuildWriter(context, std::move(slot), *std::move(index), store_id, std::move(old)));
}

RebuildWriter::RebuildWriter(WriterContext& context, WriterSlot slot, std::string index, const model::StoreId& store_id,
                             Result<std::optional<StoredState>> old)
    : context_(context),
      slot_(std::move(slot)),
      index_(std::move(index)),
      store_id_(store_id),
      old_(std::move(old)),
      views_revision_(context.views.complete_up_to()),
      maker_(context.language),
      bulk_(context.server, write_alias_for(index_), context.options.bulk_bytes) {}

/// The destructor has no call for removing the index: the next rebuild removes it, or the next publication.
RebuildWriter::~RebuildWriter() {
  if (is_published_) return;
  const std::lock_guard lock(context_.mutex);
  context_.abandoned.push_back(index_);
}

/// Creates the next documents while the previous ones are being sent.
Status RebuildWriter::put(ports::Call& call, std::span<const model::ItemView* const> items) {
  Status added;
  for (const model::ItemView* const item : items) {
    log_truncation(context_, *item);
    added = check_cancelled(call);
    if (added) added = bulk_.add(call, maker_.make_document(*item, context_.views.total_of(item->id)), kFirstVersion);
    if (!added) break;
  }
  const auto last = bulk_.wait(call);
  return added ? last : added;
}

Status RebuildWriter::remove(ports::Call& call, std::string_view id) {
  const auto added = bulk_.add(call, make_tombstone(id, now_seconds(context_.clock)), kFirstVersion);
  const auto last = bulk_.wait(call);
  return added ? last : added;
}

Status RebuildWriter::commit(ports::Call& call, model::Revision revision) {
  KBASE_TRY(check_deadline(call, context_.clock));
  KBASE_TRY(bulk_.send(call));
  KBASE_TRY(bulk_.wait(call));
  State state;
  state.store_id = store_id_;
  state.revision = revision;
  state.views_revision = views_revision_;
  state.tombstones_purged_at = now_seconds(context_.clock);
  KBASE_TRY(write_state(context_.server, call, index_, state, nullptr));
  KBASE_TRY(refresh_index(context_.server, call, index_));
  const std::lock_guard lock(context_.writing);
  KBASE_TRY(check_still_newest(call, revision));
  KBASE_TRY(publish_index(context_.server, call, context_.alias, index_));
  is_published_ = true;
  return {};
}

/// Conflict: another process has advanced the old index beyond this one in the meantime. An old index that was ahead
/// from the start is to be replaced, because the store was reset to an older one. If another rebuild was published in
/// the meantime, this index was removed.
Status RebuildWriter::check_still_newest(ports::Call& call, model::Revision revision) {
  const auto now = read_alias_state(context_.server, call, context_.alias);
  if (!now && !old_ && has_no_shard(now.error())) return {};  // lost; at least no one can have written it
  if (!now) return now.error();
  if (!*now || (*now)->state.store_id != store_id_ || (*now)->state.revision <= revision) return {};
  const bool is_unchanged =
      old_ && *old_ && (*old_)->state.store_id == store_id_ && (*old_)->state.revision == (*now)->state.revision;
  if (is_unchanged) return {};
  return conflict_error("the index is at revision " + std::to_string((*now)->state.revision) +
                        ", but the rebuild is at revision " + std::to_string(revision));
}

namespace {

constexpr std::size_t kItemsPerRequest = 200;

/// Reads the documents of these items, in order: completely, or only the listed members.
Result<Json> read_documents(ports::Call& call, const WriterContext& context, const std::string& index,
                            std::span<const std::string> items, std::string_view members = {}) {
  std::string path = "/" + write_alias_for(index) + "/_mget";
  if (!members.empty()) path += "?_source_includes=" + std::string(members);
  Json ids = Json::array();
  for (const std::string& each : items) ids.push_back(document_id(each));
  const auto got = context.server.execute(call, {.path = path, .body = serialize({{"ids", std::move(ids)}})});
  if (!got && got.error().code == ErrorCode::NotFound) return conflict_error(got.error().detail);
  if (!got) return got.error();
  const Json& documents = member(*got, "docs");
  if (!documents.is_array()) return invalid_response("the response to a multi-get has no documents");
  for (const Json& each : documents) KBASE_TRY(check_document(each));
  return documents;
}

/// Writes the documents of these items again with their current views, under their current version: a batch that
/// changes an item in the meantime has a higher one.
Status rewrite_documents(ports::Call& call, const WriterContext& context, const std::string& index,
                         std::span<const std::string> items, DocumentMaker& maker) {
  const auto documents = KBASE_TRY(read_documents(call, context, index, items));
  BulkWriter bulk(context.server, write_alias_for(index), context.options.bulk_bytes);
  Status added;
  for (const Json& each : documents) {
    const auto version = number(each, "_version");
    const Json& stored = member(each, "_source");
    if (!version || !stored.is_object()) continue;  // removed in the meantime
    const auto lines = maker.update_views(stored, context.views.total_of(text(stored, "id")));
    if (lines) added = bulk.add(call, *lines, *version);
    if (!added) break;
  }
  if (added) added = bulk.send(call);
  const auto last = bulk.wait(call);
  return added ? last : added;
}

/// Writes those of these items whose views differ. Reads their texts in parts that fit into a response.
Status rewrite_changed(ports::Call& call, const WriterContext& context, const std::string& index,
                       std::span<const std::string> items, DocumentMaker& maker) {
  const auto documents = KBASE_TRY(read_documents(call, context, index, items, "kind,id,imported,views,bytes"));
  std::vector<std::string> part;
  std::uint64_t bytes = 0;
  for (const Json& each : documents) {
    const Json& stored = member(each, "_source");
    const std::string_view item = text(stored, "id");
    if (has_views(stored, context.views.total_of(item))) continue;
    const std::uint64_t size = number(stored, "bytes").value_or(0);
    if (!part.empty() && bytes + size > kMaxResponseBytes) {
      KBASE_TRY(rewrite_documents(call, context, index, part, maker));
      part.clear();
      bytes = 0;
    }
    part.emplace_back(item);
    bytes += size;
  }
  return part.empty() ? Status() : rewrite_documents(call, context, index, part, maker);
}

}  // namespace

Status write_views(ports::Call& call, WriterContext& context, const StoredState& published) {
  const std::lock_guard lock(context.writing);
  const model::ViewsRevision revision = context.views.revision();
  const std::vector<std::string> pending = context.views.pending();
  const auto before = read_written_state(context.server, call, published.index);
  if (!before) return require_published(before.error());
  // Publishing views would also publish the incomplete batch.
  if (before->state.is_open) return conflict_error("a batch is being written");
  DocumentMaker maker(context.language);
  const std::span<const std::string> items(pending);
  for (std::size_t first = 0; first < items.size(); first += kItemsPerRequest)
    if (const auto rewritten =
            rewrite_changed(call, context, published.index,
                            items.subspan(first, std::min(kItemsPerRequest, items.size() - first)), maker);
        !rewritten)
      return rewritten.error().during("write counted views");
  State state = before->state;
  state.views_revision = revision;
  KBASE_TRY(write_state(context.server, call, published.index, state, &*before));
  KBASE_TRY(refresh_index(context.server, call, published.index));
  context.views.mark_written(pending);
  return {};
}

}  // namespace kbase::opensearch
