// SPDX-License-Identifier: Apache-2.0
#include "records.hpp"

#include <algorithm>
#include <chrono>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <utility>
#include <vector>

#include "domain/base/encoding.hpp"

namespace jsonl {
namespace {

using Kind = ports::Change::Kind;

bool is_of_category(const Record& record) {
  const auto* tombstone = std::get_if<Tombstone>(&record);
  return tombstone != nullptr ? tombstone->kind == Kind::CategoryRemoved
                              : std::holds_alternative<model::Category>(record);
}

std::string_view id_of(const Record& record) {
  if (const auto* item = std::get_if<model::Item>(&record)) return item->view().id;
  if (const auto* category = std::get_if<model::Category>(&record)) return category->view().id;
  return std::get<Tombstone>(record).id;
}

template <class T, class ById> const T* find(const ById& by_id, std::string_view id) {
  const auto found = by_id.find(id);
  return found == by_id.end() ? nullptr : std::get_if<T>(found->second.get());
}

}  // namespace

model::Revision revision_of(const Record& record) {
  if (const auto* item = std::get_if<model::Item>(&record)) return item->view().revision;
  if (const auto* category = std::get_if<model::Category>(&record)) return category->view().revision;
  return std::get<Tombstone>(record).revision;
}

void Records::apply(RecordPtr record) {
  ById& by_id = is_of_category(*record) ? categories_ : items_;
  RecordPtr& place = by_id[std::string(id_of(*record))];
  if (place != nullptr) supersede(*place);
  revision_ = revision_of(*record);
  by_revision_.emplace(revision_, record);
  if (const auto* item = std::get_if<model::Item>(record.get())) ++items_in_[std::string(item->view().category)];
  if (std::holds_alternative<Tombstone>(*record)) tombstones_.insert(revision_);
  place = std::move(record);
}

void Records::supersede(const Record& record) {
  by_revision_.erase(revision_of(record));
  tombstones_.erase(revision_of(record));
  if (const auto* item = std::get_if<model::Item>(&record)) --items_in_[std::string(item->view().category)];
}

void Records::commit(model::Revision revision, model::Instant oldest) {
  revision_ = revision;
  while (!tombstones_.empty()) {
    const RecordPtr record = by_revision_.find(*tombstones_.begin())->second;
    const auto& tombstone = std::get<Tombstone>(*record);
    if (tombstone.removed >= oldest) break;
    dropped_up_to_ = tombstone.revision;
    (is_of_category(*record) ? categories_ : items_).erase(tombstone.id);
    supersede(*record);
  }
}

const model::Item* Records::item(std::string_view id) const { return find<model::Item>(items_, id); }

const model::Category* Records::category(std::string_view id) const { return find<model::Category>(categories_, id); }

std::uint64_t Records::items_in(std::string_view category) const {
  const auto found = items_in_.find(category);
  return found == items_in_.end() ? 0 : found->second;
}

namespace {

using Json = nlohmann::ordered_json;

constexpr int kFormat = 1;

std::string text_of(const Json& json) { return json.dump() + '\n'; }

Json list_of(model::TextList texts) {
  Json list = Json::array();
  for (const std::string_view text : texts) list.push_back(text);
  return list;
}

Json json_of(const model::ItemView& item) {
  return {{"id", item.id},
          {"title", item.title},
          {"category", item.category},
          {"lead", item.excerpt},
          {"tags", list_of(item.tags)},
          {"author", item.metadata.author},
          {"created", model::format_day(item.metadata.created)},
          {"updated", model::format_day(item.metadata.updated)},
          {"views", item.metadata.views},
          {"further", item.metadata.extra},
          {"content", item.content},
          {"related", list_of(item.related)},
          {"url", item.url},
          {"language", item.language},
          {"version", item.version},
          {"summary", item.summary},
          {"aliases", list_of(item.aliases)},
          {"format", item.format},
          {"sections", list_of(item.sections)},
          {"source", item.source}};
}

Json json_of(const model::CategoryView& category) {
  return {{"id", category.id},
          {"name", category.name},
          {"description", category.description},
          {"icon", category.icon},
          {"subcategories", list_of(category.subcategories)}};
}

std::int64_t milliseconds_of(model::Instant instant) { return instant.time_since_epoch().count(); }

// Reading: missing members and wrong types throw, like nlohmann::json; read_lines() catches the exceptions.

/// The members that a file of kbase 1.0 does not have are empty.
std::string_view later_text(const Json& json, const char* name) {
  return json.contains(name) ? json.at(name).get_ref<const std::string&>() : std::string_view();
}

std::string_view text_member(const Json& json, const char* name) { return json.at(name).get_ref<const std::string&>(); }

/// Returns views into `json`. Empty: there is no such member.
std::vector<std::string_view> texts(const Json& json, const char* name) {
  std::vector<std::string_view> list;
  if (!json.contains(name)) return list;
  for (const Json& entry : json.at(name)) list.push_back(entry.get_ref<const std::string&>());
  return list;
}

model::Revision number(const Json& json, const char* name) { return json.at(name).get<model::Revision>(); }

model::Instant instant(const Json& json, const char* name) {
  return model::Instant(std::chrono::milliseconds(json.at(name).get<std::int64_t>()));
}

model::Day day(const Json& json, const char* name) {
  const auto day = model::parse_day(text_member(json, name));
  if (!day) throw std::invalid_argument(std::string(name) + " is not a valid day");
  return *day;
}

Record read_item(const Json& json, model::Revision revision) {
  const auto tags = texts(json, "tags");
  const auto related = texts(json, "related");
  const auto aliases = texts(json, "aliases");
  const auto sections = texts(json, "sections");
  model::ItemView item;
  item.id = text_member(json, "id");
  item.title = text_member(json, "title");
  item.category = text_member(json, "category");
  item.excerpt = text_member(json, "lead");
  item.tags = tags;
  item.metadata = {text_member(json, "author"), day(json, "created"), day(json, "updated"), number(json, "views"),
                   text_member(json, "further")};
  item.content = text_member(json, "content");
  item.related = related;
  item.url = later_text(json, "url");
  item.language = later_text(json, "language");
  item.version = later_text(json, "version");
  item.summary = later_text(json, "summary");
  item.aliases = aliases;
  item.format = later_text(json, "format");
  item.sections = sections;
  item.source = later_text(json, "source");
  item.revision = revision;
  return model::Item(item);
}

Record read_category(const Json& json, model::Revision revision) {
  const auto subcategories = texts(json, "subcategories");
  model::CategoryView category;
  category.id = text_member(json, "id");
  category.name = text_member(json, "name");
  category.description = text_member(json, "description");
  category.icon = text_member(json, "icon");
  category.subcategories = subcategories;
  category.revision = revision;
  return model::Category(category);
}

Record read_record(const Json& json) {
  const model::Revision revision = number(json, "revision");
  if (json.contains("item")) return read_item(json["item"], revision);
  if (json.contains("category")) return read_category(json["category"], revision);
  const bool of_item = json.contains("removed_item");
  return Tombstone{of_item ? Kind::ItemRemoved : Kind::CategoryRemoved,
                   std::string(text_member(json, of_item ? "removed_item" : "removed_category")), revision,
                   instant(json, "at")};
}

std::string line_of(const Record& record) {
  if (const auto* item = std::get_if<model::Item>(&record))
    return text_of({{"item", json_of(item->view())}, {"revision", item->view().revision}});
  if (const auto* category = std::get_if<model::Category>(&record))
    return text_of({{"category", json_of(category->view())}, {"revision", category->view().revision}});
  const auto& tombstone = std::get<Tombstone>(record);
  return text_of({{tombstone.kind == Kind::ItemRemoved ? "removed_item" : "removed_category", tombstone.id},
                  {"revision", tombstone.revision},
                  {"at", milliseconds_of(tombstone.removed)}});
}

}  // namespace

std::string write_lines(const model::StoreId& store_id, const Records& records) {
  std::string text = text_of({{"kbase_jsonl_store", kFormat},
                              {"store", kbase::to_hex(store_id)},
                              {"revision", records.revision()},
                              {"dropped_up_to", records.dropped_up_to()}});
  for (const auto& [revision, record] : records.by_revision()) text += line_of(*record);
  return text;
}

Result<FileContent> read_lines(std::string_view text) {
  std::size_t number_of_line = 0;
  try {
    FileContent content;
    model::Revision newest = 0;
    while (!text.empty()) {
      const std::size_t end = std::min(text.find('\n'), text.size());
      const Json json = Json::parse(text.substr(0, end));
      text.remove_prefix(std::min(end + 1, text.size()));
      if (number_of_line++ > 0) {
        content.records.apply(std::make_shared<const Record>(read_record(json)));
        continue;
      }
      if (json.at("kbase_jsonl_store") != kFormat)
        throw std::invalid_argument("the file has a format that this version does not read");
      if (!kbase::parse_hex(text_member(json, "store"), content.store_id))
        throw std::invalid_argument("store is not a valid id");
      newest = number(json, "revision");
      content.records = Records(number(json, "dropped_up_to"));
    }
    if (number_of_line == 0) throw std::invalid_argument("the file is empty");
    content.records.commit(newest, model::Instant::min());
    return content;
  } catch (const std::exception& failure) {
    return Error{ErrorCode::Corrupt, "line " + std::to_string(number_of_line) + " was not written by this store",
                 failure.what()};
  }
}

}  // namespace jsonl
