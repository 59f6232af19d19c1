// SPDX-License-Identifier: Apache-2.0
#include "adapters/opensearch/writer.hpp"

#include <algorithm>
#include <utility>

#include "adapters/opensearch/failure.hpp"
#include "adapters/opensearch/schema.hpp"

namespace kbase::opensearch {
namespace {

/// Retention of tombstone documents: longer than any request can be in transit.
constexpr std::int64_t kKeepRemovals = 24 * 60 * 60;  // seconds

/// Age in milliseconds after which an unpublished index counts as abandoned: this process holds the lease, so the index
/// belongs to a process that has lost it.
constexpr std::int64_t kOldEnough = 10 * 60 * 1000;

/// Version of the documents of a new index, which has no other writer.
constexpr std::uint64_t kFirstVersion = 0;

std::int64_t seconds(const ports::Clock& clock) {
  return std::chrono::floor<std::chrono::seconds>(clock.now().time_since_epoch()).count();
}

model::Status check(const ports::Call& call) {
  if (!call.cancelled()) return {};
  return model::Error{model::ErrorCode::Cancelled, "The index update was cancelled.", {}, {}, {}};
}

model::Status check_deadline(const ports::Call& call, const ports::Clock& clock) {
  if (clock.steady() <= call.deadline) return check(call);
  return model::Error{model::ErrorCode::Deadline, "The index update took too long.", {}, {}, {}};
}

void say_what_is_cut_off(const WriterContext& context, const model::ItemView& item) {
  if (context.log == nullptr || item.content.size() <= kMostContentBytes) return;
  const ports::LogField fields[] = {{"item", item.id}, {"bytes", std::uint64_t{item.content.size()}}};
  context.log->log(
      ports::LogLevel::Warning, "index.cut",
      "of an item's text no more is searched than the first " + std::to_string(kMostContentBytes >> 20) + " MiB",
      fields);
}

}  // namespace

std::optional<Place> Place::take(WriterContext& context) {
  if (context.has_writer.exchange(true)) return std::nullopt;
  return Place(context);
}

// ------------------------------------------------------------------------------------------ UpdateWriter

model::Result<std::unique_ptr<UpdateWriter>> UpdateWriter::begin(ports::Call&, WriterContext& context, Place place,
                                                                 const FoundState& published,
                                                                 const model::StoreId& store_id) {
  if (published.state.store_id != store_id) return nothing_to_update();
  auto spool = Spool::open(context.options.spool);
  if (!spool) return spool.error();
  return std::unique_ptr<UpdateWriter>(new UpdateWriter(context, std::move(place), *std::move(spool), published));
}

UpdateWriter::UpdateWriter(WriterContext& context, Place place, Spool spool, const FoundState& published)
    : context_(context),
      place_(std::move(place)),
      spool_(std::move(spool)),
      base_(published),
      views_revision_(context.views.complete_up_to()),
      maker_(context.language) {}

model::Status UpdateWriter::put(ports::Call& call, std::span<const model::ItemView* const> items) {
  const auto counted = counted_in_index(call, items);
  if (!counted) return counted.error();
  for (const model::ItemView* const item : items) {
    if (const auto wanted = check(call); !wanted) return wanted;
    say_what_is_cut_off(context_, *item);
    const auto known = counted->find(std::string(item->id));
    if (known == counted->end()) adds_items_ = true;
    // Counts normally only grow, so the larger one is the newer one. A count that was lowered, which is rare, can
    // reappear until the next view.
    const std::uint64_t views = std::max(known == counted->end() ? 0 : known->second, context_.views.of(item->id));
    if (const auto added = spool_.add(maker_.lines_of(*item, views)); !added) return added;
  }
  return {};
}

/// Reads the counted views of existing items from the index: this process may not know them.
model::Result<UpdateWriter::Counted> UpdateWriter::counted_in_index(ports::Call& call,
                                                                    std::span<const model::ItemView* const> items) {
  Counted counted;
  if (items.empty()) return counted;
  Json ids = Json::array();
  for (const model::ItemView* const item : items) ids.push_back(document_id(item->id));
  const auto got = context_.server.ask(
      call, {.path = "/" + write_alias_of(base_.index) +
                     "/_mget?_source_includes=id,imported,views&filter_path=error,status,docs._source,docs.error",
             .body = written({{"ids", std::move(ids)}})});
  if (!got && got.error().code == model::ErrorCode::NotFound) return written_by_another(got.error().detail);
  if (!got) return got.error();
  const Json& documents = member(*got, "docs");
  if (!documents.is_array()) return counted;  // no item exists: empty members are left out
  for (const Json& each : documents) {
    if (const auto read = status_of(each); !read) return read.error();
    const Json& stored = member(each, "_source");
    if (text(stored, "id").empty()) continue;  // removed
    const std::uint64_t views = number(stored, "views").value_or(0);
    const std::uint64_t imported = number(stored, "imported").value_or(0);
    counted[std::string(text(stored, "id"))] = std::max(views, imported) - imported;
  }
  return counted;
}

model::Status UpdateWriter::remove(ports::Call& call, std::string_view id) {
  if (const auto wanted = check(call); !wanted) return wanted;
  return spool_.add(removal_of(id, seconds(context_.clock)));
}

model::Status UpdateWriter::commit(ports::Call& call, model::Revision revision) {
  if (const auto in_time = check_deadline(call, context_.clock); !in_time) return in_time;
  const std::lock_guard lock(context_.writing);
  auto open = open_state(call);
  if (!open) return open.error();
  if (const auto put = write_documents(call, revision); !put) return put.error().during("write a batch");

  const std::int64_t now = seconds(context_.clock);
  const std::int64_t last_kept = now - kKeepRemovals;
  State state = open->state;
  state.revision = revision;
  state.is_open = false;
  // New items have the view counts that this process knows; a lower revision makes the missing ones be sent again.
  if (adds_items_) state.views_revision = std::min(state.views_revision, views_revision_);
  if (state.swept <= last_kept && sweep(call, last_kept)) state.swept = now;
  const auto closed = write_state(context_.server, call, base_.index, state, &*open);
  if (!closed) return closed.error();
  return refresh_index(context_.server, call, base_.index);
}

/// Marks the written state as open, if it is still the one that this batch is based on. Conflict: it is not.
model::Result<FoundState> UpdateWriter::open_state(ports::Call& call) {
  auto before = written_state(context_.server, call, base_.index);
  if (!before && before.error().code == model::ErrorCode::NotFound) return written_by_another(before.error().detail);
  if (!before) return before.error();
  const State& state = before->state;
  if (state.revision != base_.state.revision || state.store_id != base_.state.store_id) {
    // Its writer may have crashed before the refresh, and no one else would publish it.
    const bool is_newer_and_whole =
        !state.is_open && state.store_id == base_.state.store_id && state.revision > base_.state.revision;
    if (is_newer_and_whole)
      if (const auto shown = refresh_index(context_.server, call, base_.index); !shown) return shown.error();
    return written_by_another("the index is at revision " + std::to_string(state.revision) +
                              " and the batch stands on " + std::to_string(base_.state.revision));
  }
  if (state.is_open) adds_items_ = true;  // the incomplete batch may have added items
  State open = state;
  open.is_open = true;
  return write_state(context_.server, call, base_.index, open, &*before);
}

model::Status UpdateWriter::write_documents(ports::Call& call, model::Revision revision) {
  Bulk bulk(context_.server, write_alias_of(base_.index), context_.options.bulk_bytes);
  auto read = spool_.read([&](const Lines& lines) { return bulk.add(call, lines, revision); });
  if (read) read = bulk.send(call);
  const auto last = bulk.wait(call);
  return read ? last : read;
}

/// Starts the removal of old tombstone documents. Returns whether OpenSearch accepted it. If not, the next batch tries
/// again; searches never see tombstones.
bool UpdateWriter::sweep(ports::Call& call, std::int64_t before) {
  const Json old = {{"query", {{"range", {{"removed", {{"lt", before}}}}}}}};
  const auto begun = context_.server.ask(call, {.path = "/" + write_alias_of(base_.index) +
                                                        "/_delete_by_query?conflicts=proceed&wait_for_completion=false",
                                                .body = written(old)});
  const bool is_news = !begun && !context_.is_unswept.exchange(true);
  if (begun) context_.is_unswept = false;
  if (is_news && context_.log != nullptr) {
    const ports::LogField cause[] = {{"cause", begun.error().detail}};
    context_.log->log(ports::LogLevel::Warning, "index.not_swept",
                      "what stands for removed items could not be cleared away; it is tried again", cause);
  }
  return begun.has_value();
}

// ---------------------------------------------------------------------------------------- RebuildWriter

model::Result<std::unique_ptr<RebuildWriter>> RebuildWriter::begin(ports::Call& call, WriterContext& context,
                                                                   Place place, const model::StoreId& store_id) {
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
  auto old = state_under(context.server, call, context.alias);
  if (!old && !has_no_shard(old.error())) return old.error();
  const auto millis = std::chrono::floor<std::chrono::milliseconds>(context.clock.now().time_since_epoch()).count();
  // Remove what other processes left. An index that cannot be removed now is removed by the next publication.
  static_cast<void>(remove_leftovers(context.server, call, context.alias, millis - kOldEnough));
  auto index = create_index(context.server, call, context.options, context.alias, millis);
  if (!index) return index.error().during("make an index");
  return std::unique_ptr<RebuildWriter>(
      new RebuildWriter(context, std::move(place), *std::move(index), store_id, std::move(old)));
}

RebuildWriter::RebuildWriter(WriterContext& context, Place place, std::string index, const model::StoreId& store_id,
                             model::Result<std::optional<FoundState>> old)
    : context_(context),
      place_(std::move(place)),
      index_(std::move(index)),
      store_id_(store_id),
      old_(std::move(old)),
      views_revision_(context.views.complete_up_to()),
      maker_(context.language),
      bulk_(context.server, write_alias_of(index_), context.options.bulk_bytes) {}

/// The destructor has no call for removing the index: the next rebuild removes it, or the next publication.
RebuildWriter::~RebuildWriter() {
  if (is_published_) return;
  const std::lock_guard lock(context_.mutex);
  context_.abandoned.push_back(index_);
}

/// Creates the next documents while the previous ones are being sent.
model::Status RebuildWriter::put(ports::Call& call, std::span<const model::ItemView* const> items) {
  model::Status added;
  for (const model::ItemView* const item : items) {
    say_what_is_cut_off(context_, *item);
    added = check(call);
    if (added) added = bulk_.add(call, maker_.lines_of(*item, context_.views.of(item->id)), kFirstVersion);
    if (!added) break;
  }
  const auto last = bulk_.wait(call);
  return added ? last : added;
}

model::Status RebuildWriter::remove(ports::Call& call, std::string_view id) {
  const auto added = bulk_.add(call, removal_of(id, seconds(context_.clock)), kFirstVersion);
  const auto last = bulk_.wait(call);
  return added ? last : added;
}

model::Status RebuildWriter::commit(ports::Call& call, model::Revision revision) {
  if (const auto in_time = check_deadline(call, context_.clock); !in_time) return in_time;
  if (const auto sent = bulk_.send(call); !sent) return sent;
  if (const auto last = bulk_.wait(call); !last) return last;
  State state;
  state.store_id = store_id_;
  state.revision = revision;
  state.views_revision = views_revision_;
  state.swept = seconds(context_.clock);
  const auto put = write_state(context_.server, call, index_, state, nullptr);
  if (!put) return put.error();
  if (const auto shown = refresh_index(context_.server, call, index_); !shown) return shown;
  const std::lock_guard lock(context_.writing);
  if (const auto newest = check_still_newest(call, revision); !newest) return newest;
  if (const auto published = publish_index(context_.server, call, context_.alias, index_); !published) return published;
  is_published_ = true;
  return {};
}

/// Conflict: another process has advanced the old index beyond this one in the meantime. An old index that was ahead
/// from the start is to be replaced, because the store was reset to an older one. If another rebuild was published in
/// the meantime, this index was removed.
model::Status RebuildWriter::check_still_newest(ports::Call& call, model::Revision revision) {
  const auto now = state_under(context_.server, call, context_.alias);
  if (!now && !old_ && has_no_shard(now.error())) return {};  // lost; at least no one can have written it
  if (!now) return now.error();
  if (!*now || (*now)->state.store_id != store_id_ || (*now)->state.revision <= revision) return {};
  const bool is_as_it_was =
      old_ && *old_ && (*old_)->state.store_id == store_id_ && (*old_)->state.revision == (*now)->state.revision;
  if (is_as_it_was) return {};
  return written_by_another("the index is at revision " + std::to_string((*now)->state.revision) +
                            " by now and the rebuild at " + std::to_string(revision));
}

}  // namespace kbase::opensearch
