// SPDX-License-Identifier: Apache-2.0
#include "adapters/content/backup_lines.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <span>
#include <utility>

#include "adapters/base/json.hpp"
#include "adapters/content/content_source.hpp"
#include "adapters/content/record_parser.hpp"
#include "domain/base/encoding.hpp"

namespace kbase::content {
namespace {

using Json = nlohmann::json;

constexpr std::string_view kKeyStart = R"({"type":"key",)";
constexpr std::string_view kUsageStart = R"({"type":"usage",)";
constexpr std::string_view kJournalStart = R"({"type":"journal",)";
constexpr std::string_view kEndStart = R"({"type":"end",)";

// ---------------------------------------------------------------------------------------------- writing

void append_text(std::string& line, std::string_view name, std::string_view text) {
  line.append(R"(,")").append(name).append(R"(":)");
  json::append_string(line, text);
}

template <class Number> void append_number(std::string& line, std::string_view name, Number number) {
  line.append(R"(,")").append(name).append(R"(":)").append(std::to_string(number));
}

void append_hex(std::string& line, std::string_view name, std::span<const std::uint8_t> bytes) {
  line.append(R"(,")").append(name).append(R"(":")");
  kbase::append_hex(line, bytes);
  line += '"';
}

void append_instant(std::string& line, std::string_view name, model::Instant instant) {
  append_number(line, name, instant.time_since_epoch().count());
}

void append_start(std::string& line, std::string_view start) {
  line += start.substr(0, start.size() - 1);  // without the comma, which the next member adds
}

void append_line(std::string& lines, const model::ApiKey& key) {
  append_start(lines, kKeyStart);
  append_text(lines, "id", key.id);
  append_text(lines, "name", key.name);
  append_text(lines, "plan", key.plan);
  append_text(lines, "scopes", model::names_of(key.scopes));
  append_hex(lines, "sha256", key.digest);
  if (key.previous_digest) append_hex(lines, "previous_sha256", *key.previous_digest);
  append_instant(lines, "previous_expires_ms", key.previous_expires);
  if (key.expires) append_instant(lines, "expires_ms", *key.expires);
  append_instant(lines, "created_ms", key.created);
  lines.append(key.revoked ? R"(,"revoked":true)" : R"(,"revoked":false)");
  if (!key.account.empty()) append_text(lines, "account", key.account);
  if (key.suspended) lines.append(R"(,"suspended":true)");
  lines.append("}\n");
}

void append_line(std::string& lines, const ports::KeyUsage& usage) {
  append_start(lines, kUsageStart);
  append_text(lines, "key", usage.id);
  append_text(lines, "day", model::format_day(usage.day));
  append_number(lines, "requests", usage.requests);
  lines += "}\n";
}

void append_line(std::string& lines, const ports::JournalMark& mark) {
  append_start(lines, kJournalStart);
  append_hex(lines, "id", mark.journal);
  append_number(lines, "sequence", mark.sequence);
  lines += "}\n";
}

// ---------------------------------------------------------------------------------------------- reading

/// Thrown for a line that is not valid. Never leaves this file.
struct Malformed {
  std::string reason;
  ErrorCode code = ErrorCode::InvalidArgument;
};

const Json& find_member(const Json& line, const char* name) {
  const auto found = line.find(name);
  if (found == line.end()) throw Malformed{std::string(name) + " is missing"};
  return *found;
}

const std::string& read_text(const Json& line, const char* name) {
  const Json& value = find_member(line, name);
  if (!value.is_string()) throw Malformed{std::string(name) + " must be a string"};
  return value.get_ref<const std::string&>();
}

std::uint64_t read_number(const Json& line, const char* name) {
  const Json& value = find_member(line, name);
  if (!value.is_number_unsigned()) throw Malformed{std::string(name) + " must be a non-negative integer"};
  return value.get<std::uint64_t>();
}

model::Instant read_instant(const Json& line, const char* name) {
  const Json& value = find_member(line, name);
  if (!value.is_number_integer()) throw Malformed{std::string(name) + " must be a number of milliseconds"};
  return model::Instant(std::chrono::milliseconds(value.get<std::int64_t>()));
}

model::Day read_day(const Json& line, const char* name) {
  const auto day = model::parse_day(read_text(line, name));
  if (!day) throw Malformed{std::string(name) + " must be a valid date in the form YYYY-MM-DD"};
  return *day;
}

template <std::size_t kBytes> std::array<std::uint8_t, kBytes> read_bytes(const Json& line, const char* name) {
  const std::string& hex = read_text(line, name);
  std::array<std::uint8_t, kBytes> bytes{};
  if (hex.size() != 2 * kBytes)
    throw Malformed{std::string(name) + " must have " + std::to_string(2 * kBytes) + " hexadecimal digits"};
  if (!parse_hex(hex, bytes)) throw Malformed{std::string(name) + " must be hexadecimal"};
  return bytes;
}

model::Scopes read_scopes(const Json& line, const char* name) {
  model::Scopes scopes = 0;
  std::string_view rest = read_text(line, name);
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find(','), rest.size());
    const auto scope = model::scope_named(rest.substr(0, end));
    if (!scope) throw Malformed{std::string(name) + " has a scope that this version of kbase does not know"};
    scopes = static_cast<model::Scopes>(scopes | static_cast<model::Scopes>(*scope));
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return scopes;
}

model::ApiKey read_key(const Json& line) {
  model::ApiKey key;
  key.id = read_text(line, "id");
  if (key.id.empty()) throw Malformed{"id is empty"};
  key.name = read_text(line, "name");
  key.plan = read_text(line, "plan");
  key.scopes = read_scopes(line, "scopes");
  key.digest = read_bytes<32>(line, "sha256");
  if (line.contains("previous_sha256")) key.previous_digest = read_bytes<32>(line, "previous_sha256");
  key.previous_expires = read_instant(line, "previous_expires_ms");
  if (line.contains("expires_ms")) key.expires = read_instant(line, "expires_ms");
  key.created = read_instant(line, "created_ms");
  const Json& revoked = find_member(line, "revoked");
  if (!revoked.is_boolean()) throw Malformed{"revoked must be true or false"};
  key.revoked = revoked.get<bool>();
  // Backups of 1.0 have neither.
  if (line.contains("account")) key.account = read_text(line, "account");
  if (line.contains("suspended")) key.suspended = line["suspended"] == true;
  return key;
}

Json parse_object(std::string_view line) {
  Json object = Json::parse(line, nullptr, /*allow_exceptions=*/false);
  if (!object.is_object()) throw Malformed{"is not a JSON object"};
  return object;
}

/// Returns read(the JSON object in `line`), or the reason of the Malformed that it threw.
template <class Value, class Read> Result<Value> parse_line(std::string_view line, Read read) {
  try {
    return Value(read(parse_object(line)));
  } catch (const Malformed& malformed) {
    return Error{malformed.code, malformed.reason};
  }
}

Error malformed(std::string reason) { return invalid_argument({}, std::move(reason)); }

ports::BackupHead read_head(const Json& line) {
  if (line.value("type", Json()) != "backup") throw Malformed{"is not the first line of a backup"};
  if (const std::uint64_t format = read_number(line, "format"); format == 0 || format > kBackupFormat)
    throw Malformed{"the backup has format " + std::to_string(format) + ", and this version of kbase reads format " +
                        std::to_string(kBackupFormat) + "; restore it with kbase " + read_text(line, "program") +
                        " or newer",
                    ErrorCode::Unsupported};
  return {read_text(line, "instance"), read_bytes<16>(line, "lineage"), read_instant(line, "taken_ms")};
}

BackupEnd read_end(const Json& line) {
  BackupEnd end;
  end.revision = read_number(line, "revision");
  end.counts = {read_number(line, "keys"),
                read_number(line, "usage"),
                read_number(line, "journals"),
                read_number(line, "viewed"),
                read_number(line, "categories"),
                read_number(line, "items"),
                line.contains("synonyms") ? read_number(line, "synonyms") : 0};  // kbase 1.0 writes none
  end.sha256 = read_bytes<32>(line, "sha256");
  return end;
}

model::ItemView to_item_view(const ports::ItemRecord& record) {
  model::ItemView item = record;
  item.metadata.created = *record.created;
  item.metadata.updated = *record.updated;
  return item;
}

}  // namespace

void append_head(std::string& lines, const ports::BackupHead& head, std::string_view program) {
  lines += R"({"type":"backup")";
  append_number(lines, "format", kBackupFormat);
  append_text(lines, "program", program);
  append_text(lines, "instance", head.instance);
  append_hex(lines, "lineage", head.store_id);
  append_text(lines, "taken", model::format_instant(head.started));
  append_instant(lines, "taken_ms", head.started);
  lines += "}\n";
}

void append_record(std::string& lines, const ports::BackupRecord& record) {
  std::visit([&lines](const auto& one) { append_line(lines, one); }, record);
}

void append_end(std::string& lines, const BackupEnd& end) {
  append_start(lines, kEndStart);
  append_number(lines, "revision", end.revision);
  append_number(lines, "keys", end.counts.keys);
  append_number(lines, "usage", end.counts.usage);
  append_number(lines, "journals", end.counts.journals);
  append_number(lines, "viewed", end.counts.viewed);
  append_number(lines, "categories", end.counts.categories);
  append_number(lines, "items", end.counts.items);
  append_number(lines, "synonyms", end.counts.synonyms);
  append_hex(lines, "sha256", end.sha256);
  lines += "}\n";
}

void count_record(ports::BackupCounts& counts, const ports::BackupRecord& record) {
  std::uint64_t* const counters[] = {&counts.keys,       &counts.usage, &counts.journals, &counts.viewed,
                                     &counts.categories, &counts.items, &counts.synonyms};
  ++*counters[record.index()];
}

Result<ports::BackupHead> BackupLineParser::parse_head(std::string_view line) {
  return parse_line<ports::BackupHead>(line, read_head);
}

bool BackupLineParser::is_end(std::string_view line) { return line.starts_with(kEndStart); }

Result<BackupEnd> BackupLineParser::parse_end(std::string_view line) { return parse_line<BackupEnd>(line, read_end); }

Result<ports::BackupRecord> BackupLineParser::parse_record(std::string_view line) {
  if (line.starts_with(kKeyStart)) return parse_line<ports::BackupRecord>(line, read_key);
  if (line.starts_with(kUsageStart))
    return parse_line<ports::BackupRecord>(line, [this](const Json& usage) {
      text_ = read_text(usage, "key");
      return ports::KeyUsage{text_, read_day(usage, "day"), read_number(usage, "requests")};
    });
  if (line.starts_with(kJournalStart))
    return parse_line<ports::BackupRecord>(line, [](const Json& mark) {
      return ports::JournalMark{read_bytes<16>(mark, "id"), read_number(mark, "sequence")};
    });
  return parse_content(line);
}

Result<ports::BackupRecord> BackupLineParser::parse_content(std::string_view line) {
  const Record record = parser_.parse(line);
  if (const auto* reject = std::get_if<ports::Reject>(&record)) return malformed(std::string(reject->reason));
  if (const auto* activity = std::get_if<ports::ActivityRecord>(&record)) return ports::BackupRecord(*activity);
  if (const auto* category = std::get_if<ports::CategoryRecord>(&record))
    return ports::BackupRecord(model::CategoryView{category->id, category->name, category->description, category->icon,
                                                   category->subcategories, 0, 0});
  if (const auto* synonyms = std::get_if<model::SynonymsView>(&record)) return ports::BackupRecord(*synonyms);
  const auto* item = std::get_if<ports::ItemRecord>(&record);
  if (item == nullptr) return malformed("the record is of a kind that no backup contains");
  if (!item->created || !item->updated) return malformed("metadata.created and metadata.updated are missing");
  return ports::BackupRecord(to_item_view(*item));
}

}  // namespace kbase::content
