// SPDX-License-Identifier: Apache-2.0
#include "app/plugin_host/lent_rows.hpp"

#include <algorithm>

#include "app/plugin_host/lent_instants.hpp"

namespace kbase::plugin_host {
namespace {

using sdk::text_of;

constexpr std::size_t kMaxListed = std::size_t{1} << 20;
constexpr std::size_t kMaxValueBytes = std::size_t{16} << 20;

bool is_sound_list(const kb_view* views, std::size_t count) noexcept {
  if (count == 0) return true;
  return views != nullptr && count <= kMaxListed && std::all_of(views, views + count, is_sound);
}

bool all_utf8(model::TextList texts) noexcept {
  return std::all_of(texts.begin(), texts.end(), is_utf8);
}

bool is_all_utf8(const model::ItemView& item) noexcept {
  return is_utf8(item.title) && is_utf8(item.category) && is_utf8(item.excerpt) && is_utf8(item.metadata.author) &&
         is_utf8(item.metadata.extra) && is_utf8(item.content) && all_utf8(item.tags) && all_utf8(item.related);
}

bool is_all_utf8(const model::CategoryView& category) noexcept {
  return is_utf8(category.name) && is_utf8(category.description) && is_utf8(category.icon) &&
         all_utf8(category.subcategories);
}

/// Converts the list's texts into the array at `next` and advances `next`.
model::TextList copy(const kb_view* views, std::size_t count, std::string_view*& next) noexcept {
  std::string_view* const first = next;
  next = std::transform(views, views + count, first, text_of);
  return {first, count};
}

bool is_continuation(char c) noexcept {
  return (static_cast<unsigned char>(c) & 0xC0U) == 0x80U;
}

/// Returns true if the marks are in order, do not overlap, lie within the text and do not split a UTF-8 character.
bool are_marks_of(std::string_view text, const kb_mark* highlights, std::size_t count) noexcept {
  if (count == 0) return true;
  if (highlights == nullptr || count > text.size()) return false;
  std::size_t reached = 0;
  return std::all_of(highlights, highlights + count, [&](const kb_mark& mark) {
    const bool fits = mark.begin >= reached && mark.begin < mark.end && mark.end <= text.size() &&
                      !is_continuation(text[mark.begin]) &&
                      (mark.end == text.size() || !is_continuation(text[mark.end]));
    reached = mark.end;
    return fits;
  });
}

}  // namespace

Fault ItemReader::read(const kb_item* item, model::ItemView& row) {
  if (item == nullptr || !KB_HAS(item, related_count)) return kNoStruct;
  if (!is_id(item->id)) return kNoId;
  if (!all_sound(item->title, item->category, item->lead, item->author, item->further, item->content)) return kNoText;
  if (!is_sound_list(item->tags, item->tag_count) || !is_sound_list(item->related, item->related_count)) return kNoList;
  if (!is_calendar_day(item->created_day) || !is_calendar_day(item->updated_day)) return kNoDay;
  std::string_view* list = room_.of(item->tag_count + item->related_count).data();
  row.id = text_of(item->id);
  row.title = text_of(item->title);
  row.category = text_of(item->category);
  row.excerpt = text_of(item->lead);
  row.tags = copy(item->tags, item->tag_count, list);
  row.metadata.author = text_of(item->author);
  row.metadata.created = sdk::day_of(item->created_day);
  row.metadata.updated = sdk::day_of(item->updated_day);
  row.metadata.views = item->views;
  row.metadata.extra = text_of(item->further);
  row.content = text_of(item->content);
  row.related = copy(item->related, item->related_count, list);
  row.revision = item->revision;
  return nullptr;
}

Fault CategoryReader::read(const kb_category* category, model::CategoryView& row) {
  if (category == nullptr || !KB_HAS(category, revision)) return kNoStruct;
  if (!is_id(category->id)) return kNoId;
  if (!all_sound(category->name, category->description, category->icon)) return kNoText;
  if (!is_sound_list(category->subcategories, category->subcategory_count)) return kNoList;
  std::string_view* list = room_.of(category->subcategory_count).data();
  row.id = text_of(category->id);
  row.name = text_of(category->name);
  row.description = text_of(category->description);
  row.icon = text_of(category->icon);
  row.subcategories = copy(category->subcategories, category->subcategory_count, list);
  row.item_count = category->item_count;
  row.revision = category->revision;
  return nullptr;
}

// ------------------------------------------------------------------------------------------- change feed

Fault ChangeReader::read(const kb_change* change, ports::Change& row) {
  if (change == nullptr || !KB_HAS(change, category)) return kNoStruct;
  if (!is_id(change->id)) return kNoId;
  if (change->revision <= last_) return "told a change out of the order of revisions";
  last_ = change->revision;
  row = {};
  row.id = text_of(change->id);
  row.revision = change->revision;
  row.item = nullptr;
  row.category = nullptr;
  switch (change->kind) {
    case KB_CHANGE_ITEM_PUT:
      return read_item(*change, row);
    case KB_CHANGE_CATEGORY_PUT:
      return read_category(*change, row);
    case KB_CHANGE_ITEM_REMOVED:
      row.kind = ports::Change::Kind::ItemRemoved;
      return nullptr;
    case KB_CHANGE_CATEGORY_REMOVED:
      row.kind = ports::Change::Kind::CategoryRemoved;
      return nullptr;
    default:
      return "told a change of an unknown kind";
  }
}

Fault ChangeReader::read_item(const kb_change& change, ports::Change& row) {
  if (const Fault fault = items_.read(change.item, item_)) return fault;
  if (item_.id != row.id) return "told a change of one id with an item of another";
  row.kind = ports::Change::Kind::ItemPut;
  row.item = &item_;
  return is_all_utf8(item_) ? nullptr : kNoUtf8;
}

Fault ChangeReader::read_category(const kb_change& change, ports::Change& row) {
  if (const Fault fault = categories_.read(change.category, category_)) return fault;
  if (category_.id != row.id) return "told a change of one id with a category of another";
  row.kind = ports::Change::Kind::CategoryPut;
  row.category = &category_;
  return is_all_utf8(category_) ? nullptr : kNoUtf8;
}

// ------------------------------------------------------------------------------------------- searches

Fault HitReader::read_marks(const kb_hit& hit, ports::SearchHit& row) {
  if (!are_marks_of(row.title, hit.title_marks, hit.title_mark_count) ||
      !are_marks_of(row.excerpt, hit.excerpt_marks, hit.excerpt_mark_count))
    return "lent marks that are not of their text, or not in order";
  const auto of_c = [](const kb_mark& mark) { return model::Highlight{mark.begin, mark.end}; };
  const std::span<model::Highlight> room = room_.of(hit.title_mark_count + hit.excerpt_mark_count);
  const std::span<model::Highlight> title = room.first(hit.title_mark_count);
  const std::span<model::Highlight> excerpt = room.subspan(hit.title_mark_count);
  std::transform(hit.title_marks, hit.title_marks + title.size(), title.begin(), of_c);
  std::transform(hit.excerpt_marks, hit.excerpt_marks + excerpt.size(), excerpt.begin(), of_c);
  row.title_highlights = title;
  row.excerpt_highlights = excerpt;
  return nullptr;
}

Fault WordReader::read(kb_view word, std::uint64_t items, ports::WordCompletion& row) {
  if (word.size == 0 || !is_sound(word)) return kNoText;
  if (!is_utf8(text_of(word))) return kNoUtf8;
  row = {text_of(word), items};
  return nullptr;
}

// --------------------------------------------------------------------------------------- counted views

Fault CategoryViewsReader::read(kb_view id, kb_view name, std::uint64_t views, ports::CategoryViews& row) {
  if (!is_id(id)) return kNoId;
  if (!is_sound(name)) return kNoText;
  row = {text_of(id), text_of(name), views};
  return nullptr;
}

Fault ItemViewsReader::read(const kb_view_count* count, ports::ItemViews& row) {
  if (count == nullptr) return kNoStruct;
  if (!is_id(count->item)) return kNoId;
  row = {text_of(count->item), count->views};
  return nullptr;
}

Fault DayViewsReader::read(const kb_view_count* count, ports::DayViews& row) {
  if (count == nullptr) return kNoStruct;
  if (!is_calendar_day(count->day)) return kNoDay;
  row = {sdk::day_of(count->day), count->views};
  return nullptr;
}

Fault ViewIncrementReader::read(const kb_view_count* count, ports::ViewIncrement& row) {
  if (count == nullptr) return kNoStruct;
  if (!is_id(count->item)) return kNoId;
  if (!is_calendar_day(count->day)) return kNoDay;
  row = {text_of(count->item), sdk::day_of(count->day), count->views};
  return nullptr;
}

Fault JournalMarkReader::read(const kb_journal_mark* mark, ports::JournalMark& row) {
  if (mark == nullptr || !KB_HAS(mark, sequence)) return kNoStruct;
  std::copy_n(mark->journal, row.journal.size(), row.journal.begin());
  row.sequence = mark->sequence;
  return nullptr;
}

// ------------------------------------------------------------------------------------ keys and values

Fault KeyReader::read(const kb_key* key, model::ApiKey& row) {
  if (key == nullptr || !KB_HAS(key, revoked)) return kNoStruct;
  if (!all_sound(key->id, key->name, key->plan)) return kNoText;
  if (!is_utf8(text_of(key->id)) || !is_utf8(text_of(key->name)) || !is_utf8(text_of(key->plan))) return kNoUtf8;
  if (key->id.size == 0) return kNoId;
  const bool has_expiry = key->expires != KB_NEVER;
  if (!is_calendar_instant(key->created) || (has_expiry && !is_calendar_instant(key->expires)) ||
      (key->has_previous != 0 && !is_calendar_instant(key->previous_expires)))
    return kNoInstant;
  row = sdk::key_of(*key);
  row.scopes &= model::kAllScopes;
  return nullptr;
}

Fault KeyUsageReader::read(const kb_key_usage* usage, ports::KeyUsage& row) {
  if (usage == nullptr || !KB_HAS(usage, requests)) return kNoStruct;
  if (!is_sound(usage->id)) return kNoText;
  if (usage->id.size == 0) return kNoId;
  if (!is_utf8(text_of(usage->id))) return kNoUtf8;
  if (!is_calendar_day(usage->day)) return kNoDay;
  row = {text_of(usage->id), sdk::day_of(usage->day), usage->requests};
  return nullptr;
}

Fault ValueReader::read(kb_view value, std::string_view& row) {
  if (!is_sound(value) || value.size > kMaxValueBytes) return "lent a value that leads nowhere, or above 16 MiB";
  row = text_of(value);
  return nullptr;
}

}  // namespace kbase::plugin_host
