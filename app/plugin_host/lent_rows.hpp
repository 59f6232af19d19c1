// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <kbase/plugin.h>

#include <cstdint>
#include <string_view>

#include "app/plugin_host/lent_text.hpp"
#include "domain/model/api_key.hpp"
#include "domain/model/item.hpp"
#include "plugins/sdk/small_array.hpp"
#include "plugins/sdk/translation.hpp"
#include "ports/driven/activity_store.hpp"
#include "ports/driven/api_key_store.hpp"
#include "ports/driven/item_store.hpp"
#include "ports/driven/search_index.hpp"

/// Readers of the structs that a plugin passes to a sink. `read` converts one to the port's row, or returns the
/// violation as a string literal that continues "the plugin". Frequent rows are checked only for what could harm the
/// server: struct sizes, invalid views and lists, ids, and days outside the calendar. Their other texts may be any
/// bytes; code that prints them replaces invalid UTF-8. Where other code relies on UTF-8 (the feed, keys), all texts
/// are checked.
///
/// A row points into the struct and the reader; valid until the reader's next read. Not thread-safe.
namespace kbase::plugin_host {

/// null: no violation
using Fault = const char*;

inline constexpr Fault kNoStruct = "lent a struct that is null or smaller than in 1.0";
inline constexpr Fault kNoId = "lent an id that is none";
inline constexpr Fault kNoText = "lent a text that leads nowhere";
inline constexpr Fault kNoList = "lent a list that leads nowhere";
inline constexpr Fault kNoDay = "lent a day outside the years 0 to 9999";
inline constexpr Fault kNoInstant = "lent an instant outside the years 0 to 9999";
inline constexpr Fault kNoUtf8 = "lent a text that is not UTF-8";

/// Storage for the texts of one row's lists.
using ListRoom = sdk::SmallArray<std::string_view, 24>;

class ItemReader {
 public:
  using Row = model::ItemView;
  Fault read(const kb_item* item, model::ItemView& row);

 private:
  ListRoom room_;
};

class CategoryReader {
 public:
  using Row = model::CategoryView;
  Fault read(const kb_category* category, model::CategoryView& row);

 private:
  ListRoom room_;
};

class ChangeReader {
 public:
  using Row = ports::Change;
  Fault read(const kb_change* change, ports::Change& row);

 private:
  Fault read_item(const kb_change& change, ports::Change& row);
  Fault read_category(const kb_change& change, ports::Change& row);

  ItemReader items_;
  CategoryReader categories_;
  model::ItemView item_;
  model::CategoryView category_;
  model::Revision last_ = 0;
};

struct CategoryViewsReader {
  using Row = ports::CategoryViews;
  static Fault read(kb_view id, kb_view name, std::uint64_t views, ports::CategoryViews& row);
};

struct ItemViewsReader {
  using Row = ports::ItemViews;
  static Fault read(const kb_view_count* count, ports::ItemViews& row);
};

struct DayViewsReader {
  using Row = ports::DayViews;
  static Fault read(const kb_view_count* count, ports::DayViews& row);
};

struct ViewIncrementReader {
  using Row = ports::ViewIncrement;
  static Fault read(const kb_view_count* count, ports::ViewIncrement& row);
};

struct JournalMarkReader {
  using Row = ports::JournalMark;
  static Fault read(const kb_journal_mark* mark, ports::JournalMark& row);
};

struct KeyReader {
  using Row = model::ApiKey;
  static Fault read(const kb_key* key, model::ApiKey& row);
};

struct KeyUsageReader {
  using Row = ports::KeyUsage;
  static Fault read(const kb_key_usage* usage, ports::KeyUsage& row);
};

struct ValueReader {
  using Row = std::string_view;
  static Fault read(kb_view value, std::string_view& row);
};

/// Defined inline, because a search calls it for each hit.
class HitReader {
 public:
  using Row = ports::SearchHit;
  Fault read(const kb_hit* hit, ports::SearchHit& row) {
    if (hit == nullptr || !KB_HAS(hit, excerpt_mark_count)) return kNoStruct;
    if (!is_id(hit->id)) return kNoId;
    if (!all_sound(hit->title, hit->category, hit->excerpt)) return kNoText;
    if (!(hit->relevance > 0 && hit->relevance <= 1)) return "lent a hit whose relevance is not above 0 and at most 1";
    row.id = sdk::text_of(hit->id);
    row.title = sdk::text_of(hit->title);
    row.category = sdk::text_of(hit->category);
    row.excerpt = sdk::text_of(hit->excerpt);
    row.relevance = hit->relevance;
    row.title_highlights = {};
    row.excerpt_highlights = {};
    const bool has_highlights = (hit->title_mark_count | hit->excerpt_mark_count) != 0;
    return has_highlights ? read_marks(*hit, row) : nullptr;
  }

 private:
  Fault read_marks(const kb_hit& hit, ports::SearchHit& row);

  sdk::SmallArray<model::Highlight, 24> room_;
};

struct WordReader {
  using Row = ports::WordCompletion;
  static Fault read(kb_view word, std::uint64_t items, ports::WordCompletion& row);
};

}  // namespace kbase::plugin_host
