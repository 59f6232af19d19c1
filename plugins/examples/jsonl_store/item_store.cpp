// SPDX-License-Identifier: Apache-2.0
#include "item_store.hpp"

#include <algorithm>
#include <utility>

#include "item_writer.hpp"

namespace jsonl {
namespace {

using model::Error;
using model::ErrorCode;
using model::Visit;
using ports::Call;
using ports::Change;

template <class T>
std::span<T> part_of(std::span<T> list, ports::Slice slice) {
  const auto rest = list.subspan(std::min<std::uint64_t>(slice.offset, list.size()));
  return rest.first(std::min<std::uint64_t>(slice.limit, rest.size()));
}

Change change_of(const Record& record) {
  const model::Revision revision = revision_of(record);
  if (const auto* item = std::get_if<model::Item>(&record))
    return {Change::Kind::ItemPut, item->view().id, revision, &item->view(), nullptr};
  if (const auto* category = std::get_if<model::Category>(&record))
    return {Change::Kind::CategoryPut, category->view().id, revision, nullptr, &category->view()};
  const auto& tombstone = std::get<Tombstone>(record);
  return {tombstone.kind, tombstone.id, revision, nullptr, nullptr};
}

Error not_found(std::string_view what) {
  return {ErrorCode::NotFound, "There is no such " + std::string(what) + ".", {}, {}, {}};
}

}  // namespace

model::Result<std::shared_ptr<JsonlItemStore>> JsonlItemStore::open(const std::filesystem::path& path,
                                                                    const ports::Clock& clock, ports::Random& random,
                                                                    ports::EventLog& events) {
  model::StoreId store_id{};
  random.fill(store_id);
  Records records;
  auto log = Log::open(path, store_id, clock, events, records);
  if (!log) return log.error();
  return std::shared_ptr<JsonlItemStore>(new JsonlItemStore(path, *std::move(log), records, clock, events));
}

JsonlItemStore::JsonlItemStore(std::filesystem::path path, Log log, const Records& records, const ports::Clock& clock,
                               ports::EventLog& events)
    : path_(std::move(path)), clock_(clock), events_(events), store_id_(log.store_id()), log_(std::move(log)) {
  publish(records);
}

ports::ItemStore::Capabilities JsonlItemStore::capabilities() const {
  return {.persistent = true, .inline_reads = true};
}

model::StoreId JsonlItemStore::store_id() const {
  return store_id_;
}

std::shared_ptr<const Content> JsonlItemStore::content() const {
  const std::lock_guard lock(content_mutex_);
  return content_;
}

void JsonlItemStore::publish(const Records& records) {
  auto next = std::make_shared<const Content>(records);
  const std::lock_guard lock(content_mutex_);
  content_.swap(next);
}

model::Status JsonlItemStore::follow() {
  const auto changed = log_.has_changed();
  if (!changed) return changed.error();
  if (!*changed) return {};
  Records records = content()->records();
  if (const auto followed = log_.follow(records); !followed) return followed;
  if (records.revision() != content()->records().revision()) publish(records);
  return {};
}

model::Status JsonlItemStore::prepare() {
  const std::lock_guard lock(log_mutex_);
  if (const auto followed = follow(); !followed) return followed;
  return log_.repair();
}

model::Status JsonlItemStore::write(std::string batch, std::uint64_t lines, const Records& records, model::Instant at) {
  const std::lock_guard lock(log_mutex_);
  if (const auto added = log_.append(std::move(batch), lines, records.revision(), at); !added) return added;
  publish(records);
  if (!log_.needs_compaction(records)) return {};
  // The batch is already on the disk, so a failed rewrite is not a failed commit.
  if (const auto rewritten = log_.rewrite(records, at); !rewritten)
    events_.log(ports::LogLevel::Warning, "store.not_compacted", rewritten.error().message);
  return {};
}

model::Result<model::Revision> JsonlItemStore::revision(Call&) {
  // If the mutex is locked, another thread is following or committing: readers do not wait for a writer.
  if (const std::unique_lock lock(log_mutex_, std::try_to_lock); lock.owns_lock())
    if (const auto followed = follow(); !followed) return followed.error();
  return content()->records().revision();
}

model::Status JsonlItemStore::get(Call&, std::string_view id, ports::ItemVisitor visitor) {
  const auto seen = content();
  const model::Item* item = seen->records().item(id);
  if (item == nullptr) return not_found("item");
  visitor(item->view());
  return {};
}

model::Status JsonlItemStore::summaries(Call&, std::span<const std::string_view> ids, ports::SummaryVisitor visitor) {
  const auto seen = content();
  for (const std::string_view id : ids)
    if (const model::Item* item = seen->records().item(id); item != nullptr && visitor(item->view()) == Visit::Stop)
      break;
  return {};
}

model::Status JsonlItemStore::recent(Call&, std::optional<std::string_view> category, ports::Slice slice,
                                     ports::SummaryVisitor visitor) {
  const auto seen = content();
  for (const model::Item* item : part_of(seen->recent(category), slice))
    if (visitor(item->view()) == Visit::Stop) break;
  return {};
}

model::Status JsonlItemStore::category(Call&, std::string_view id, ports::CategoryVisitor visitor) {
  const auto seen = content();
  const CategoryRow* row = seen->category(id);
  if (row == nullptr) return not_found("category");
  visitor(row->view());
  return {};
}

model::Status JsonlItemStore::categories(Call&, ports::Slice slice, ports::CategoryVisitor visitor) {
  const auto seen = content();
  for (const CategoryRow* row : part_of(seen->categories(), slice))
    if (visitor(row->view()) == Visit::Stop) break;
  return {};
}

model::Result<ports::StoreTotals> JsonlItemStore::totals(Call&, model::Day today) {
  return content()->totals(today);
}

model::Status JsonlItemStore::category_views(Call&, model::Visitor<ports::CategoryViews> visitor) {
  const auto seen = content();
  for (const CategoryRow* row : seen->categories())
    if (visitor({row->category->view().id, row->category->view().name, row->views}) == Visit::Stop) break;
  return {};
}

model::Result<model::Revision> JsonlItemStore::changes(Call& call, model::Revision after,
                                                       ports::ChangeVisitor visitor) {
  const auto seen = content();
  const Records& records = seen->records();
  if (after != 0 && after < records.dropped_up_to())
    return Error{ErrorCode::Gone, "older changes are no longer available; read from the start", {}, {}, {}};
  const auto& all = records.by_revision();
  for (auto entry = all.upper_bound(after); entry != all.end(); ++entry) {
    if (after == 0 && std::holds_alternative<Tombstone>(*entry->second)) continue;
    if (call.cancelled() || visitor(change_of(*entry->second)) == Visit::Stop)
      return Error{ErrorCode::Cancelled, "the read of the changes was cancelled", {}, {}, {}};
  }
  return records.revision();
}

model::Result<std::unique_ptr<ports::ItemWriter>> JsonlItemStore::begin(Call& call) {
  auto lock = WriterLock::acquire(path_, call, clock_);
  if (!lock) return lock.error();
  if (const auto prepared = prepare(); !prepared) return prepared.error();
  return std::unique_ptr<ports::ItemWriter>(std::make_unique<JsonlItemWriter>(*this, *std::move(lock)));
}

model::Status JsonlItemStore::health(Call&) {
  const auto stat = File::stat_path(path_);
  if (!stat) return stat.error();
  return *stat ? model::Status() : Error{ErrorCode::Unavailable, path_.string() + " is gone", {}, {}, {}};
}

}  // namespace jsonl
