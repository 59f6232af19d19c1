// SPDX-License-Identifier: Apache-2.0
#include "lines.hpp"

#include <array>
#include <chrono>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <vector>

namespace jsonl {
namespace {

using Json = nlohmann::ordered_json;
using Kind = ports::Change::Kind;

constexpr int kFormat = 1;

std::string text_of(const Json& json) {
  return json.dump() + '\n';
}

Json list_of(model::TextList texts) {
  Json list = Json::array();
  for (const std::string_view text : texts) list.push_back(text);
  return list;
}

std::string hexadecimal(const model::StoreId& store_id) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text;
  for (const std::uint8_t byte : store_id) {
    text += kDigits[byte >> 4U];
    text += kDigits[byte & 15U];
  }
  return text;
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
          {"related", list_of(item.related)}};
}

Json json_of(const model::CategoryView& category) {
  return {{"id", category.id},
          {"name", category.name},
          {"description", category.description},
          {"icon", category.icon},
          {"subcategories", list_of(category.subcategories)}};
}

std::int64_t milliseconds_of(model::Instant instant) {
  return instant.time_since_epoch().count();
}

// Reading: missing members and wrong types throw, like nlohmann::json; read() catches the exceptions.

std::string_view text(const Json& json, const char* name) {
  return json.at(name).get_ref<const std::string&>();
}

/// Returns views into `json`.
std::vector<std::string_view> texts(const Json& json, const char* name) {
  std::vector<std::string_view> list;
  for (const Json& entry : json.at(name)) list.push_back(entry.get_ref<const std::string&>());
  return list;
}

model::Revision number(const Json& json, const char* name) {
  return json.at(name).get<model::Revision>();
}

model::Instant instant(const Json& json, const char* name) {
  return model::Instant(std::chrono::milliseconds(json.at(name).get<std::int64_t>()));
}

model::Day day(const Json& json, const char* name) {
  const auto day = model::parse_day(text(json, name));
  if (!day) throw std::invalid_argument(std::string(name) + " is no day");
  return *day;
}

model::StoreId store_id(const Json& json, const char* name) {
  const std::string_view digits = text(json, name);
  model::StoreId store_id{};
  if (digits.size() != 2 * store_id.size()) throw std::invalid_argument("a lineage has 32 digits");
  for (std::size_t i = 0; i < store_id.size(); ++i)
    store_id[i] = static_cast<std::uint8_t>(std::stoul(std::string(digits.substr(2 * i, 2)), nullptr, 16));
  return store_id;
}

Record read_item(const Json& json, model::Revision revision) {
  const auto tags = texts(json, "tags");
  const auto related = texts(json, "related");
  model::ItemView item;
  item.id = text(json, "id");
  item.title = text(json, "title");
  item.category = text(json, "category");
  item.excerpt = text(json, "lead");
  item.tags = tags;
  item.metadata = {text(json, "author"), day(json, "created"), day(json, "updated"), number(json, "views"),
                   text(json, "further")};
  item.content = text(json, "content");
  item.related = related;
  item.revision = revision;
  return model::Item(item);
}

Record read_category(const Json& json, model::Revision revision) {
  const auto subcategories = texts(json, "subcategories");
  model::CategoryView category;
  category.id = text(json, "id");
  category.name = text(json, "name");
  category.description = text(json, "description");
  category.icon = text(json, "icon");
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
                   std::string(text(json, of_item ? "removed_item" : "removed_category")), revision,
                   instant(json, "at")};
}

template <class Reader>
auto read(std::string_view line, Reader reader) -> model::Result<decltype(reader(Json()))> {
  try {
    return reader(Json::parse(line));
  } catch (const std::exception& failure) {
    return model::Error{
        model::ErrorCode::Corrupt, "the file has a line that this store did not write", failure.what(), {}, {}};
  }
}

}  // namespace

std::string line_of(const Header& header) {
  return text_of({{"kbase_jsonl_store", kFormat},
                  {"lineage", hexadecimal(header.store_id)},
                  {"revision", header.revision},
                  {"dropped_up_to", header.dropped_up_to}});
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

std::string line_of(const Commit& commit) {
  return text_of({{"commit", commit.revision}, {"at", milliseconds_of(commit.at)}, {"crc32", commit.checksum}});
}

model::Result<Header> read_header(std::string_view line) {
  return read(line, [](const Json& json) {
    if (json.at("kbase_jsonl_store") != kFormat) throw std::invalid_argument("another format than this version writes");
    return Header{store_id(json, "lineage"), number(json, "revision"), number(json, "dropped_up_to")};
  });
}

model::Result<std::variant<RecordPtr, Commit>> read_line(std::string_view line) {
  return read(line, [](const Json& json) -> std::variant<RecordPtr, Commit> {
    if (json.contains("commit"))
      return Commit{number(json, "commit"), instant(json, "at"), json.at("crc32").get<std::uint32_t>()};
    return std::make_shared<const Record>(read_record(json));
  });
}

std::uint32_t checksum(std::string_view bytes) {
  static constexpr auto kTable = [] {
    std::array<std::uint32_t, 256> table{};
    for (std::uint32_t byte = 0; byte < 256; ++byte) {
      std::uint32_t rest = byte;
      for (int bit = 0; bit < 8; ++bit) rest = (rest >> 1U) ^ ((rest & 1U) != 0 ? 0xEDB88320U : 0U);
      table[byte] = rest;
    }
    return table;
  }();
  std::uint32_t sum = 0xFFFFFFFFU;
  for (const char byte : bytes) sum = (sum >> 8U) ^ kTable[(sum ^ static_cast<unsigned char>(byte)) & 0xFFU];
  return ~sum;
}

}  // namespace jsonl
