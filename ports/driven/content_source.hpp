// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>

#include "domain/model/category.hpp"
#include "domain/model/day.hpp"
#include "domain/model/function_ref.hpp"
#include "domain/model/item.hpp"
#include "domain/model/result.hpp"
#include "ports/driven/activity_store.hpp"
#include "ports/driven/call.hpp"

namespace kbase::ports {

/// Where a record stands in its source: a file and a line (0: the file as a whole).
struct Place {
  std::string_view file;
  std::uint64_t line = 0;
};

/// An item as a source gives it; what is absent is decided by the import.
struct ItemRecord {
  std::string_view id, title, category, content, author, extra;
  model::TextList tags, related;
  std::optional<model::Day> created, updated;
  std::uint64_t views = 0;
};

struct CategoryRecord {
  std::string_view id;
  std::string_view name;  ///< empty: its id
  std::string_view description, icon;
  model::TextList subcategories;
};

struct DeleteRecord {
  std::string_view id;
};

struct ActivityRecord {
  std::string_view item;
  std::span<const DayViews> days;
};

/// What cannot be taken for a record, and why.
struct Reject {
  std::string_view reason;
  std::string_view text;  ///< the bytes as they stood, for --rejects; empty where a whole file is meant
};

/// Members of a record that kbase knows nothing of: names alone, each once, and of very many the first.
struct UnknownMembers {
  model::TextList passed_over{};
  model::TextList kept{};  ///< of a front matter, as further metadata
};

/// One record of a source. All views are loans, see Visitor.
struct ContentRecord {
  Place place;
  std::variant<ItemRecord, CategoryRecord, DeleteRecord, ActivityRecord, Reject> record;
  UnknownMembers unknown{};
};

/// Content to import: a file, a folder or standard input. Records are well formed (ids, dates, UTF-8, types), each in
/// the order of the source. One thread, one reading.
class ContentSource {
 public:
  virtual ~ContentSource() = default;

  /// As the user named it.
  virtual std::string_view name() const = 0;

  /// What is looked for there, as a message says it that found nothing.
  virtual std::string_view wanted() const { return "records"; }

  /// How far the reading is, as a fraction from 0 to 1; nullopt: unknown (standard input). Any thread.
  virtual std::optional<double> progress() const = 0;

  /// Visits every record. InvalidArgument: the source cannot be read (to its end), with file and reason in the
  /// message; what came before was visited. A visitor that stops ends the reading without an error.
  virtual model::Status read(Call& call, model::Visitor<ContentRecord> visitor) = 0;
};

/// Where an export goes. One thread.
class ContentSink {
 public:
  virtual ~ContentSink() = default;
  virtual model::Status put(const model::CategoryView& category) = 0;
  virtual model::Status put(const model::ItemView& item) = 0;
  virtual model::Status put(const ActivityRecord& activity) = 0;
  /// Everything put before is written out; without it a file that was to be replaced is left as it was.
  virtual model::Status finish() = 0;
};

}  // namespace kbase::ports
