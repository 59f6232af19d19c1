// SPDX-License-Identifier: Apache-2.0
#include "item_store.hpp"

#include <algorithm>
#include <chrono>
#include <thread>
#include <utility>

namespace jsonl {
namespace {
using ports::Call;
using ports::Change;

Error cancelled() { return {ErrorCode::Cancelled, "the call was cancelled"}; }

template <class T> std::span<T> part_of(std::span<T> list, ports::Slice slice) {
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

Result<FileContent> read_content(const std::filesystem::path& path) {
  const auto text = KBASE_TRY(read_file(path));
  if (!text) return Error{ErrorCode::Unavailable, path.string() + " is missing"};
  auto content = read_lines(*text);
  if (!content) return content.error().during(path.string());
  return content;
}

Status create(const std::filesystem::path& path, ports::Random& random, ports::EventLog& events) {
  const auto lock = KBASE_TRY(FileLock::try_acquire(path));
  if (!lock) return Error{ErrorCode::Conflict, "another process creates " + path.string() + "; try again"};
  std::error_code failed;
  if (std::filesystem::exists(path, failed)) return {};
  FileContent content;
  random.fill(content.store_id);
  KBASE_TRY(replace_file(path, write_lines(content.store_id, content.records)));
  events.log(ports::LogLevel::Info, "store.created", "The store " + path.string() + " was created.");
  return {};
}

Error not_found(std::string_view what) { return {ErrorCode::NotFound, "There is no such " + std::string(what) + "."}; }

}  // namespace

Result<std::shared_ptr<JsonlItemStore>> JsonlItemStore::open(const std::filesystem::path& path,
                                                             const ports::Clock& clock, ports::Random& random,
                                                             ports::EventLog& events) {
  std::error_code failed;  // opening the lock reports it
  std::filesystem::create_directories(std::filesystem::absolute(path).parent_path(), failed);
  if (!std::filesystem::exists(path, failed)) KBASE_TRY(create(path, random, events));
  const FileVersion version = KBASE_TRY(version_of(path));
  FileContent content = KBASE_TRY(read_content(path));
  return std::shared_ptr<JsonlItemStore>(
      new JsonlItemStore(path, version, content.store_id, std::move(content.records), clock));
}

ports::ItemStore::Capabilities JsonlItemStore::capabilities() const {
  return {.persistent = true, .inline_reads = true, .describes = true};
}

model::StoreId JsonlItemStore::store_id() const { return store_id_; }

std::shared_ptr<const Content> JsonlItemStore::content() const {
  const std::lock_guard lock(content_mutex_);
  return content_;
}

void JsonlItemStore::publish(Records records) {
  auto next = std::make_shared<const Content>(std::move(records));
  const std::lock_guard lock(content_mutex_);
  content_.swap(next);
}

Status JsonlItemStore::write(const Records& records) {
  const std::lock_guard lock(version_mutex_);
  KBASE_TRY(replace_file(path_, write_lines(store_id_, records)));
  if (const auto version = version_of(path_)) version_ = *version;  // else refresh() reads the file again
  publish(records);
  return {};
}

Status JsonlItemStore::refresh() {
  const std::lock_guard lock(version_mutex_);
  const FileVersion version = KBASE_TRY(version_of(path_));
  if (version == version_) return {};
  FileContent content = KBASE_TRY(read_content(path_));
  if (content.store_id != store_id_)
    return Error{ErrorCode::Corrupt, path_.string() + " was replaced by another store; restart the server to use it"};
  publish(std::move(content.records));
  version_ = version;
  return {};
}

Result<model::Revision> JsonlItemStore::revision(Call&) {
  KBASE_TRY(refresh());
  return content()->records().revision();
}

Status JsonlItemStore::get(Call&, std::string_view id, ports::ItemVisitor visitor) {
  const auto seen = content();
  const model::Item* item = seen->records().item(id);
  if (item == nullptr) return not_found("item");
  visitor(item->view());
  return {};
}

Status JsonlItemStore::summaries(Call&, std::span<const std::string_view> ids, ports::SummaryVisitor visitor) {
  const auto seen = content();
  for (const std::string_view id : ids)
    if (const model::Item* item = seen->records().item(id); item != nullptr && visitor(item->view()) == Visit::Stop)
      break;
  return {};
}

Status JsonlItemStore::recent(Call&, std::optional<std::string_view> category, ports::Slice slice,
                              ports::SummaryVisitor visitor) {
  const auto seen = content();
  for (const model::Item* item : part_of(seen->recent(category), slice))
    if (visitor(item->view()) == Visit::Stop) break;
  return {};
}

Status JsonlItemStore::category(Call&, std::string_view id, ports::CategoryVisitor visitor) {
  const auto seen = content();
  const CategoryRow* row = seen->category(id);
  if (row == nullptr) return not_found("category");
  visitor(row->view());
  return {};
}

Status JsonlItemStore::categories(Call&, ports::Slice slice, ports::CategoryVisitor visitor) {
  const auto seen = content();
  for (const CategoryRow* row : part_of(seen->categories(), slice))
    if (visitor(row->view()) == Visit::Stop) break;
  return {};
}

Result<ports::StoreTotals> JsonlItemStore::totals(Call&, model::Day today) { return content()->totals(today); }

Status JsonlItemStore::category_views(Call&, Visitor<ports::CategoryViews> visitor) {
  const auto seen = content();
  for (const CategoryRow* row : seen->categories())
    if (visitor({row->category->view().id, row->category->view().name, row->views}) == Visit::Stop) break;
  return {};
}

Result<model::Revision> JsonlItemStore::changes(Call& call, model::Revision after, ports::ChangeVisitor visitor) {
  const auto seen = content();
  const Records& records = seen->records();
  if (after != 0 && after < records.dropped_up_to())
    return Error{ErrorCode::Gone, "older changes are no longer available; read from the start"};
  const auto& all = records.by_revision();
  for (auto entry = all.upper_bound(after); entry != all.end(); ++entry) {
    if (after == 0 && std::holds_alternative<Tombstone>(*entry->second)) continue;
    if (call.cancelled() || visitor(change_of(*entry->second)) == Visit::Stop)
      return Error{ErrorCode::Cancelled, "the read of the changes was cancelled"};
  }
  return records.revision();
}

Result<std::unique_ptr<ports::ItemWriter>> JsonlItemStore::begin(Call& call) {
  constexpr std::chrono::milliseconds kPoll{10};  // a cancellation wakes no thread
  auto left = std::min<std::chrono::nanoseconds>(std::chrono::seconds(5), call.deadline - clock_.steady());
  for (; left >= left.zero(); left -= kPoll) {
    if (auto lock = KBASE_TRY(FileLock::try_acquire(path_))) {
      KBASE_TRY(refresh());
      return std::unique_ptr<ports::ItemWriter>(std::make_unique<JsonlItemWriter>(*this, *std::move(lock)));
    }
    if (call.cancelled()) return cancelled();
    std::this_thread::sleep_for(std::min<std::chrono::nanoseconds>(kPoll, left));
  }
  return Error{ErrorCode::Conflict, "another import is running; try again when it has ended"};
}

Status JsonlItemStore::health(Call&) {
  std::error_code failed;
  if (std::filesystem::exists(path_, failed)) return {};
  return Error{ErrorCode::Unavailable, path_.string() + " is missing"};
}

JsonlItemWriter::JsonlItemWriter(JsonlItemStore& store, FileLock lock)
    : store_(store), lock_(std::move(lock)), records_(store.content()->records()), first_(records_.revision()) {}

void JsonlItemWriter::add(Record record) { records_.apply(std::make_shared<const Record>(std::move(record))); }

Status JsonlItemWriter::read(Call&, std::span<const std::string_view> ids, ports::ItemVisitor visitor) {
  for (const std::string_view id : ids)
    if (const model::Item* item = records_.item(id); item != nullptr && visitor(item->view()) == Visit::Stop) break;
  return {};
}

Status JsonlItemWriter::read_category(Call&, std::string_view id, ports::CategoryVisitor visitor) {
  const model::Category* category = records_.category(id);
  if (category == nullptr) return Error{ErrorCode::NotFound, "There is no such category."};
  model::CategoryView view = category->view();
  view.item_count = records_.items_in(id);
  visitor(view);
  return {};
}

Status JsonlItemWriter::put(Call& call, std::span<const model::ItemView* const> items) {
  for (const model::ItemView* item : items) {
    if (call.cancelled()) return cancelled();
    if (records_.category(item->category) == nullptr)
      return kbase::invalid_argument("category", "item '" + std::string(item->id) + "' is of category '" +
                                                     std::string(item->category) +
                                                     "', which does not exist; put the category first");
    model::ItemView numbered = *item;
    numbered.revision = records_.revision() + 1;
    add(model::Item(numbered));
  }
  return {};
}

Status JsonlItemWriter::put_category(Call&, const model::CategoryView& category) {
  model::CategoryView numbered = category;
  numbered.item_count = 0;  // readers count the items
  numbered.revision = records_.revision() + 1;
  add(model::Category(numbered));
  return {};
}

Result<bool> JsonlItemWriter::remove(Call&, std::string_view id) {
  if (records_.item(id) == nullptr) return false;
  add(Tombstone{Change::Kind::ItemRemoved, std::string(id), records_.revision() + 1, store_.clock_.now()});
  return true;
}

Result<bool> JsonlItemWriter::remove_category(Call&, std::string_view id) {
  if (records_.category(id) == nullptr) return false;
  if (const auto items = records_.items_in(id); items != 0)
    return kbase::invalid_argument("id", "category '" + std::string(id) + "' still has " + std::to_string(items) +
                                             " items; move or remove them first");
  add(Tombstone{Change::Kind::CategoryRemoved, std::string(id), records_.revision() + 1, store_.clock_.now()});
  return true;
}

Result<model::Revision> JsonlItemWriter::commit(Call& call) {
  if (call.cancelled()) return cancelled();
  const model::Instant now = store_.clock_.now();
  records_.commit(records_.revision(), now - kTombstoneRetention);
  if (records_.revision() != first_) KBASE_TRY(store_.write(records_));
  return records_.revision();
}

}  // namespace jsonl
