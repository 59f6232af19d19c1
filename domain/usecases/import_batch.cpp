// SPDX-License-Identifier: Apache-2.0
#include "domain/usecases/import_batch.hpp"

#include <utility>
#include <variant>

#include "domain/base/result.hpp"

namespace kbase::usecases {
namespace {

constexpr std::size_t kChunk = 500;                        // items per comparison with the store and per put call
constexpr std::size_t kChunkBytes = std::size_t{4} << 20;  // of their records

model::ItemView view_of(const ports::ItemRecord& record) {
  model::ItemView item = record;
  if (record.created) item.metadata.created = *record.created;
  if (record.updated) item.metadata.updated = *record.updated;
  return item;
}

}  // namespace

Status ImportBatch::begin(ports::Call& call) {
  auto writer = KBASE_TRY(items_.begin(call));
  writer_ = std::move(writer);
  return {};
}

Status ImportBatch::add(ports::Call& call, const ports::ContentRecord& record,
                        FunctionRef<void(std::string_view)> duplicate) {
  if (const auto* item = std::get_if<ports::ItemRecord>(&record.record)) {
    if (!seen_.insert_item(item->id)) duplicate(item->id);
    add_record(*item, record);
    pending_bytes_ += record.text.size() + item->content.size();
    return pending_.size() < kChunk && pending_bytes_ < kChunkBytes ? Status() : flush(call);
  }
  if (const auto* category = std::get_if<ports::CategoryRecord>(&record.record)) {
    if (!seen_.insert_category(category->id)) duplicate(category->id);
    return add_record(call, *category);
  }
  if (const auto* gone = std::get_if<ports::DeleteRecord>(&record.record)) {
    seen_.remove_item_id(gone->id);
    return remove_item(call, gone->id);
  }
  if (const auto* synonyms = std::get_if<model::SynonymsView>(&record.record)) {
    const model::Synonyms copy(*synonyms);
    if (!seen_.insert_synonyms(copy.key())) duplicate(copy.key().word);
    return add_record(call, copy, record);
  }
  if (const auto* activity = std::get_if<ports::ActivityRecord>(&record.record)) add_record(*activity);
  return {};
}

void ImportBatch::add_record(const ports::ItemRecord& read, const ports::ContentRecord& record) {
  seen_.mention_category(read.category);
  document_.make(view_of(read));
  model::ItemView item = document_.stored();
  if (item.source.empty()) item.source = source_;
  std::string url;
  if (!base_url_.empty() && item.url.starts_with('/')) item.url = url = base_url_ + std::string(item.url);
  PendingItem pending{model::Item(items_.capabilities().describes ? item : model::without_description(item)),
                      read.created.has_value(),
                      read.updated.has_value(),
                      std::string(record.position.file),
                      record.position.line,
                      std::string(record.text)};
  if (const auto earlier = pending_by_id_.find(read.id); earlier != pending_by_id_.end()) {
    const std::size_t at = earlier->second;
    pending_by_id_.erase(earlier);
    pending_[at] = std::move(pending);
    pending_by_id_.emplace(pending_[at].item.view().id, at);
    return;
  }
  pending_.push_back(std::move(pending));
  pending_by_id_.emplace(pending_.back().item.view().id, pending_.size() - 1);
}

Status ImportBatch::add_record(ports::Call& call, const ports::CategoryRecord& record) {
  model::CategoryView category;
  category.id = record.id;
  category.name = record.name.empty() ? record.id : record.name;
  category.description = record.description;
  category.icon = record.icon;
  category.subcategories = record.subcategories;
  bool unchanged = false;
  const auto stored = writer_->read_category(call, record.id, [&](const model::CategoryView& found) {
    unchanged = model::same_content(found, category);
    return Visit::Continue;
  });
  if (!stored && stored.error().code != ErrorCode::NotFound) return stored;
  existing_categories_.emplace(record.id);
  if (unchanged) return {};
  ++changes_.categories;
  return writer_->put_category(call, category);
}

void ImportBatch::add_record(const ports::ActivityRecord& record) {
  pending_activity_.add(record.item, record.days);
  ++changes_.activity;
}

Status ImportBatch::load_synonyms(ports::Call& call) {
  if (synonyms_) return {};
  const auto stored = KBASE_TRY(read_synonyms(call, items_));
  synonyms_.emplace(stored);
  return {};
}

Status ImportBatch::add_record(ports::Call& call, model::Synonyms synonyms, const ports::ContentRecord& record) {
  KBASE_TRY(load_synonyms(call));
  if (synonyms.source.empty()) synonyms.source = source_;
  std::string defect = defect_of(synonyms);
  if (defect.empty() && !synonyms_->put(std::move(synonyms)))
    defect = "the base has " + std::to_string(model::kMaxSynonymsOfBase) +
             " lines of synonyms, the most that it keeps; remove others first";
  if (!defect.empty()) return reject_(record.position, defect, record.text);
  changes_.synonyms = synonyms_->count();
  return {};
}

/// Nothing of another source is overwritten unseen. A removal names what it removes, like the removal of an item.
std::string ImportBatch::defect_of(const model::Synonyms& synonyms) const {
  if (!items_.capabilities().synonyms) return "the storage of this base keeps no synonyms; use another storage plugin";
  const model::SynonymsKey key = synonyms.key();
  const model::Synonyms* const stored = synonyms_->find(key);
  if (takes_over_ || synonyms.is_removal() || stored == nullptr || stored->source.empty() ||
      stored->source == synonyms.source)
    return {};
  return "the synonyms of '" + key.word + "' belong to the source '" + stored->source + "', and this is the source '" +
         synonyms.source + "'; " + (key.is_one_way ? "" : "put another of the words first, or ") +
         "replace them with --take-over";
}

Status ImportBatch::prune_synonyms(ports::Call& call, const std::unordered_set<std::string>& sources) {
  KBASE_TRY(load_synonyms(call));
  synonyms_->remove_if(
      [&](const model::Synonyms& each) { return sources.contains(each.source) && !seen_.has_synonyms(each.key()); });
  changes_.synonyms = synonyms_->count();
  return {};
}

Status ImportBatch::remove_item(ports::Call& call, std::string_view id) {
  KBASE_TRY(flush(call));
  const auto removed = KBASE_TRY(writer_->remove(call, id));
  if (removed) ++changes_.removed;
  return {};
}

Status ImportBatch::remove_category(ports::Call& call, std::string_view id) {
  KBASE_TRY(flush(call));
  const auto removed = KBASE_TRY(writer_->remove_category(call, id));
  if (removed) ++changes_.categories;
  return {};
}

Status ImportBatch::flush(ports::Call& call) {
  if (pending_.empty()) return {};
  KBASE_TRY(compare_with_stored(call));
  KBASE_TRY(reject_owned());
  KBASE_TRY(create_mentioned_categories(call));
  std::vector<const model::ItemView*> changed;
  for (const PendingItem& pending : pending_) {
    if (pending.unchanged || pending.is_adopted) ++changes_.unchanged;
    if (pending.unchanged) continue;
    if (!pending.is_adopted) ++(pending.exists ? changes_.changed : changes_.added);
    changed.push_back(&pending.resolved);
  }
  auto put = changed.empty() ? Status() : writer_->put(call, changed);
  pending_by_id_.clear();
  pending_.clear();
  pending_bytes_ = 0;
  return put;
}

Status ImportBatch::compare_with_stored(ports::Call& call) {
  std::vector<std::string_view> ids;
  for (PendingItem& pending : pending_) {
    ids.push_back(pending.item.view().id);
    resolve(pending, nullptr);
  }
  return writer_->read(call, ids, [&](const model::ItemView& stored) {
    PendingItem& pending = pending_[pending_by_id_.at(stored.id)];
    pending.exists = true;
    if (!takes_over_ && !stored.source.empty() && stored.source != pending.item.view().source)
      pending.owner = stored.source;
    resolve(pending, &stored);
    return Visit::Continue;
  });
}

/// Nothing of another source is overwritten unseen.
Status ImportBatch::reject_owned() {
  for (const PendingItem& pending : pending_) {
    if (pending.owner.empty()) continue;
    const std::string reason = "the item '" + std::string(pending.item.view().id) + "' belongs to the source '" +
                               pending.owner + "', and this is the source '" + std::string(pending.item.view().source) +
                               "'; " + (pending.line == 0 ? "keep both with --prefix NAME, or " : "") +
                               "replace it with --take-over";  // only pages, which have no line, get a prefix
    KBASE_TRY(reject_({pending.file, pending.line}, reason, pending.text));
  }
  std::erase_if(pending_, [](const PendingItem& pending) { return !pending.owner.empty(); });
  pending_by_id_.clear();
  return {};
}

namespace {

/// Whether kbase 1.0 stored the item: it kept neither a source nor the other members of the description.
bool has_no_description(const model::ItemView& item) {
  return model::same_content(item, model::without_description(item));
}

/// Whether only members differ that kbase 1.0 did not keep.
bool is_same_as_in_1_0(const model::ItemView& item, const model::ItemView& stored) {
  model::ItemView before = model::without_description(item);
  before.excerpt = stored.excerpt;
  return has_no_description(stored) && model::same_content(before, stored);
}

}  // namespace

/// Sets the dates that the record omits. A new item gets today as `created` and its `created` as `updated`. A known
/// item keeps its stored dates, but gets today as `updated` if it changed.
void ImportBatch::resolve(PendingItem& pending, const model::ItemView* stored) const {
  pending.resolved = pending.item.view();
  model::MetadataView& metadata = pending.resolved.metadata;
  if (!pending.has_created) metadata.created = stored != nullptr ? stored->metadata.created : today_;
  if (!pending.has_updated) metadata.updated = stored != nullptr ? stored->metadata.updated : metadata.created;
  if (stored == nullptr) return;
  pending.unchanged = model::same_content(pending.resolved, *stored);
  pending.is_adopted = !pending.unchanged && is_same_as_in_1_0(pending.resolved, *stored);
  if (!pending.unchanged && !pending.is_adopted && !pending.has_updated) metadata.updated = today_;
}

/// A category without its own record uses its id as its name.
Status ImportBatch::create_mentioned_categories(ports::Call& call) {
  for (const PendingItem& pending : pending_) {
    const std::string_view id = pending.resolved.category;
    if (!existing_categories_.emplace(id).second) continue;
    const auto stored = writer_->read_category(call, id, [](const model::CategoryView&) { return Visit::Continue; });
    if (stored) continue;
    if (stored.error().code != ErrorCode::NotFound) return stored;
    model::CategoryView category;
    category.id = id;
    category.name = id;
    KBASE_TRY(writer_->put_category(call, category));
    ++changes_.categories;
  }
  return {};
}

Status ImportBatch::commit(ports::Call& call) {
  KBASE_TRY(flush(call));
  if (changes_.synonyms != 0) KBASE_TRY(write_synonyms(call, *writer_, synonyms_->all()));
  const auto revision = writer_->commit(call);
  writer_.reset();
  if (!revision) return revision.error();
  changes_.revision = *revision;
  return {};
}

Status ImportBatch::set_activity(ports::Call& call) {
  changes_.activity = 0;
  return pending_activity_.visit([&](std::string_view item, std::span<const ports::DayViews> days) -> Status {
    KBASE_TRY(activity_.set(call, item, days));
    ++changes_.activity;
    return {};
  });
}

}  // namespace kbase::usecases
