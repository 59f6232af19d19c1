// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "domain/base/function_ref.hpp"
#include "domain/base/result.hpp"
#include "domain/model/day.hpp"
#include "domain/model/item.hpp"
#include "domain/model/synonyms.hpp"
#include "ports/driven/activity_store.hpp"
#include "ports/driven/call.hpp"

namespace kbase::ports {

/// Position of a record in its source: file and line (0: the file as a whole).
struct SourcePosition {
  std::string_view file;
  std::uint64_t line = 0;
};

/// An item as read from a source, without excerpt and days. The import fills in absent members.
struct ItemRecord : model::ItemView {
  std::optional<model::Day> created, updated;
};

struct CategoryRecord {
  std::string_view id;
  std::string_view name;  ///< empty: the id is the name
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

/// Input that is not a valid record, and the reason.
struct Reject {
  std::string_view reason;
};

/// Values of a page that were ignored, and why.
struct IgnoredValue {
  std::uint64_t line = 0;
  std::string_view reason;
};

/// Names of a record's members that kbase does not know. Each name appears once; only the first of very many are
/// listed.
struct UnknownMembers {
  model::TextList ignored{};
  model::TextList stored{};  ///< from a front matter; stored as extra metadata
};

/// One record of a source. For the lifetime of its views see Visitor.
struct ContentRecord {
  SourcePosition position;
  std::variant<ItemRecord, CategoryRecord, DeleteRecord, ActivityRecord, model::SynonymsView, Reject> record;
  UnknownMembers unknown{};
  std::span<const IgnoredValue> ignored{};
  std::string_view text{};  ///< the original bytes; empty if the record is a whole file, or too long
};

/// What a source reports about itself after it was read, for the summary of an import.
struct SourceNotes {
  static constexpr std::size_t kMaxNamedPages = 5;

  std::string generator = {};  ///< program that publishes the site, "Hugo"; empty: none was recognised
  std::uint64_t left_out = 0;  ///< pages that are drafts, expired, empty, or hidden from the search of their site
  std::vector<std::string> left_out_pages = {};  ///< the first kMaxNamedPages of them, as in SourcePosition
  /// Number of files that no reader takes, by ending (".png"), and of pages that are not read, by reason
  /// ("disallowed by robots.txt").
  std::map<std::string, std::uint64_t> skipped = {};
  std::set<std::string> packages = {};    ///< Debian packages with programs that would read skipped files
  std::vector<std::string> remarks = {};  ///< what the user should know; each is a line
  void leave_out(std::string page) {
    if (left_out++ < kMaxNamedPages) left_out_pages.push_back(std::move(page));
  }

  /// Some pages of the source were not read. An item whose page was not seen may still be in the source.
  bool is_incomplete = false;
};

/// The ids that a page can have: by its path, and by its name.
struct PageIds {
  std::string by_path, by_name;
};

/// Content to import: a file, a folder or standard input. Records are well formed (ids, dates, UTF-8, types) and in
/// source order. Single-threaded; can be read once.
class ContentSource {
 public:
  virtual ~ContentSource() = default;

  /// The name as the user typed it.
  virtual std::string_view name() const = 0;

  /// The name under which the source owns its items, unless the user gives another one.
  virtual std::string_view owner() const { return name(); }

  /// The ids of the pages whose id depends on the choice of the user. Empty: none does.
  virtual std::vector<PageIds> page_ids() const { return {}; }

  /// Makes read() give pages ids by name instead of by path.
  virtual void use_names_as_ids() {}

  /// Valid after read().
  virtual SourceNotes notes() const { return {}; }

  /// Describes the expected content, for the message that the source has none.
  virtual std::string_view expected_content() const { return "records"; }

  /// Progress of the read as a fraction from 0 to 1. nullopt: unknown (standard input). Any thread.
  virtual std::optional<double> progress() const = 0;

  /// Visits all records. InvalidArgument, with file and reason in the message: the source cannot be read to its end;
  /// the records before the failure were visited. A visitor that stops ends the read without an error.
  virtual Status read(Call& call, Visitor<ContentRecord> visitor) = 0;
};

/// Writes an export. Single-threaded.
class ContentSink {
 public:
  virtual ~ContentSink() = default;
  virtual Status put(const model::CategoryView& category) = 0;
  virtual Status put(const model::ItemView& item) = 0;
  virtual Status put(const ActivityRecord& activity) = 0;
  virtual Status put(const model::SynonymsView& synonyms) = 0;
  /// Flushes everything put before. Without this call an existing file that was to be replaced remains unchanged.
  virtual Status finish() = 0;
};

}  // namespace kbase::ports
