// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <span>

#include "plugins/conformance/content_samples.hpp"
#include "plugins/conformance/suites.hpp"

namespace kbase::conformance {
namespace {

using ports::Call;
using std::chrono::year;

/// Sets all texts except the id and the category, and all lists.
void set_all(model::ItemView& item, std::string_view value, model::TextList list) {
  const auto texts = model::text_members(item);
  for (std::string_view* const text : std::span(texts).subspan(2)) *text = value;
  for (model::TextList* const member : model::list_members(item)) *member = list;
}

/// The part of an item that the store keeps.
model::ItemView kept(const ports::ItemStore& store, const model::ItemView& item) {
  return store.capabilities().describes ? item : model::without_description(item);
}

/// Puts `item` and expects each read call to return every member unchanged.
void expect_round_trip(ports::ItemStore& store, const model::ItemView& put, Report& report,
                       SourceLine where = SourceLine::current()) {
  Call call;
  const model::ItemView item = kept(store, put);
  const auto revision = commit(store, {{category_of(item.category)}, {item}, {}, {}});
  if (!report.ok(revision, "a batch with one item is committed", where)) return;

  bool visited = false;
  const auto compare = [&](const model::ItemView& seen) {
    visited = true;
    const std::string_view differing = difference(kept(store, seen), item);
    report.expect(differing.empty(), "get gives back every member as it was put", differing, where);
    report.equal(seen.revision, *revision, "an item has the revision of its last change", where);
    return Visit::Continue;
  };
  report.ok(store.get(call, item.id, compare), "get finds the item that was put", where);
  report.expect(visited, "get visits the item it found", {}, where);

  visited = false;
  const auto compare_summary = [&](const model::ItemSummaryView& seen) {
    visited = true;
    report.expect(difference(seen, item).empty(), "a summary has every member as it was put", difference(seen, item),
                  where);
    return Visit::Continue;
  };
  const std::array<std::string_view, 1> ids{item.id};
  report.ok(store.summaries(call, ids, compare_summary), "summaries finds the item that was put", where);
  report.expect(visited, "summaries visits the item it found", {}, where);

  visited = false;
  report.ok(store.recent(call, item.category, {0, 1}, compare_summary), "recent finds the item that was put", where);
  report.expect(visited, "recent visits the item it found", {}, where);
}

void starts_empty(ItemStoreFixture& fixture, Report& report) {
  ports::ItemStore& store = fixture.port();
  Call call;
  report.equal(revision_of(store), 0U, "the empty store, before its first change, has revision 0");
  report.equal(title_of(store, "a"), "none", "get of an unknown id is NotFound");
  report.fails(store.category(call, "a", [](const model::CategoryView&) { return Visit::Continue; }),
               ErrorCode::NotFound, "category of an unknown id is NotFound");
  report.equal(recent_ids(store, std::nullopt, {0, 10}), "", "an empty store has no recent items");
  report.equal(recent_ids(store, "a", {0, 10}), "", "an unknown category has no recent items");
  report.equal(category_ids(store, {0, 10}), "", "an empty store has no categories");
  report.equal(feed_text_after(store, 0), "", "the feed of an empty store is empty");
  const auto totals = store.totals(call, model::Day(year(2026) / 3 / 14));
  if (report.ok(totals, "an empty store has totals"))
    report.expect(totals->items + totals->categories + totals->views + totals->recent_additions == 0,
                  "the totals of an empty store are 0");
  report.ok(store.health(call), "a store that works is healthy");
}

void returns_every_member_of_an_item(ItemStoreFixture& fixture, Report& report) {
  expect_round_trip(fixture.port(), item_of("a"), report);
  model::ItemView bare;
  bare.id = "bare";
  bare.category = "empty";
  expect_round_trip(fixture.port(), bare, report);
}

void keeps_the_description_of_an_item(ItemStoreFixture& fixture, Report& report) {
  if (!fixture.port().capabilities().describes) return report.skip("the store does not describe items by declaration");
  expect_round_trip(fixture.port(), described_item_of("a"), report);
  expect_round_trip(fixture.port(), item_of("a"), report);
  Call call;
  report.ok(fixture.port().changes(call, 0,
                                   [&](const ports::Change& change) {
                                     if (change.item != nullptr)
                                       report.equal(change.item->url, std::string_view(),
                                                    "a replaced item has no member of the one before");
                                     return Visit::Continue;
                                   }),
            "the feed is read");
}

void returns_content_of_every_size(ItemStoreFixture& fixture, Report& report) {
  for (const std::size_t bytes : {0U, 1U, 2U, 127U, 128U, 255U, 256U, 4095U, 4096U, 65535U, 65536U, 1U << 20U}) {
    const std::string content = unicode_text(bytes, static_cast<char32_t>(bytes));
    model::ItemView item = item_of("of every size");
    item.content = content;
    expect_round_trip(fixture.port(), item, report);
  }
}

void returns_all_of_unicode_in_every_text(ItemStoreFixture& fixture, Report& report) {
  model::ItemView item = item_of("unicode");
  for (const char32_t start : {0x0U, 0x30000U, 0x70000U, 0xB0000U, 0xF0000U}) {
    const std::string text = unicode_text(1U << 20U, start);
    item.content = text;
    expect_round_trip(fixture.port(), item, report);
  }

  const std::string nul("\0before, between\0\0 and after\0", 29);
  const std::array<std::string_view, 3> list{nul, std::string_view("\0", 1), std::string_view(nul).substr(1)};
  set_all(item, nul, list);
  expect_round_trip(fixture.port(), item, report);

  const std::array<std::string_view, 2> hostile{"a,b;c|d\n\t\"'`\\{}[]%_?*\x1f\x1e", "\xEF\xBB\xBF\u2028\U0001F600"};
  set_all(item, hostile[0], hostile);
  item.metadata.extra = hostile[1];
  expect_round_trip(fixture.port(), item, report);
}

void keeps_list_entries_separate(ItemStoreFixture& fixture, Report& report) {
  model::ItemView item = item_of("lists");
  const std::array<std::string_view, 1> one_empty{""};
  item.tags = item.related = one_empty;
  expect_round_trip(fixture.port(), item, report);

  const std::array<std::string_view, 6> unsorted{"z", "a", "", "z", "A", ""};
  item.tags = item.related = unsorted;
  expect_round_trip(fixture.port(), item, report);

  const std::vector<std::string_view> many(3000, "tag");
  item.tags = item.related = many;
  expect_round_trip(fixture.port(), item, report);
}

void keeps_days_and_counts_of_their_whole_range(ItemStoreFixture& fixture, Report& report) {
  model::ItemView item = item_of("edges");
  item.metadata.created = model::Day(year(0) / 1 / 1);
  item.metadata.updated = model::Day(year(9999) / 12 / 31);
  item.metadata.views = (1ULL << 53) - 1;  // largest integer that JSON represents exactly
  expect_round_trip(fixture.port(), item, report);
  std::swap(item.metadata.created, item.metadata.updated);
  item.metadata.views = 0;
  expect_round_trip(fixture.port(), item, report);
}

/// Returns ids that only a comparison by bytes distinguishes, and an id of the maximum length.
std::vector<std::string> awkward_ids() {
  std::string longest;
  while (longest.size() < model::kMaxIdBytes) longest += "\U0001F600";
  return {"a",  "A",  "a ",   " a",  "a/b",      "a%2Fb", "é",    "e\u0301", "'; --", "\"",
          "\\", "a*", "_",    "...", "İstanbul", "ß",     "ss",   "\uFFFD",  longest, std::string(256, 'x'),
          "%",  "?#", "日本", "00",  "0",        "1e0",   "null", "a\u200Bb"};
}

void distinguishes_ids_by_their_bytes(ItemStoreFixture& fixture, Report& report) {
  const std::vector<std::string> ids = awkward_ids();
  Batch batch;
  for (const std::string& id : ids) {
    batch.categories.push_back(category_of(id));
    batch.items.push_back(item_of(id, id));
    batch.items.back().title = id;
  }
  if (!report.ok(commit(fixture.port(), batch), "every well-formed id is taken")) return;
  for (const std::string& id : ids) {
    Call call;
    report.equal(title_of(fixture.port(), id), id, "an item is found by its own id alone");
    report.equal(recent_ids(fixture.port(), id, {0, 10}), id, "a category holds its own items alone");
    report.ok(fixture.port().category(call, id,
                                      [&](const model::CategoryView& category) {
                                        report.equal(category.id, id, "a category is found by its own id alone");
                                        report.equal(category.item_count, 1U, "a category counts its own items alone");
                                        return Visit::Continue;
                                      }),
              "a category of any well-formed id is found");
  }
  report.equal(title_of(fixture.port(), "a\u0300"), "none", "an id that was never put is NotFound");
}

void replaces_the_whole_item(ItemStoreFixture& fixture, Report& report) {
  expect_round_trip(fixture.port(), item_of("a", "first"), report);
  model::ItemView bare;
  bare.id = "a";
  bare.category = "second";
  expect_round_trip(fixture.port(), bare, report);
  report.equal(recent_ids(fixture.port(), "first", {0, 10}), "", "an item that moved has left its old category");
  expect_round_trip(fixture.port(), item_of("a", "first"), report);
  report.equal(recent_ids(fixture.port(), std::nullopt, {0, 10}), "a", "a replaced item is listed once");
}

void returns_every_member_of_a_category(ItemStoreFixture& fixture, Report& report) {
  const std::string nul("\0a\0", 3);
  const std::array<std::string_view, 4> subcategories{"z", "", nul, "z"};
  model::CategoryView odd = category_of("odd");
  odd.name = odd.description = odd.icon = nul;
  odd.subcategories = subcategories;
  model::CategoryView bare;
  bare.id = "bare";
  for (const model::CategoryView& wanted : {category_of("plain"), odd, bare}) {
    Call call;
    const auto revision = commit(fixture.port(), {{wanted}, {}, {}, {}});
    if (!report.ok(revision, "a batch with one category is committed")) return;
    int visited = 0;
    const auto compare = [&](const model::CategoryView& seen) {
      if (seen.id != wanted.id) return Visit::Continue;
      ++visited;
      report.expect(difference(seen, wanted).empty(), "a category has every member as it was put",
                    difference(seen, wanted));
      report.equal(seen.revision, *revision, "a category has the revision of its last change");
      return Visit::Continue;
    };
    report.ok(fixture.port().category(call, wanted.id, compare), "category finds what was put");
    report.ok(fixture.port().categories(call, {0, 10}, compare), "categories lists what was put");
    report.equal(visited, 2, "category and categories each visit a category once");
  }
}

void returns_summaries_in_the_requested_order(ItemStoreFixture& fixture, Report& report) {
  ports::ItemStore& store = fixture.port();
  if (!report.ok(commit(store, {{category_of("shelf")}, {item_of("a"), item_of("b"), item_of("c")}, {}, {}}),
                 "a batch is committed"))
    return;
  report.equal(summary_ids(store, {"c", "a", "b"}), "c|a|b", "summaries come in the order asked for");
  report.equal(summary_ids(store, {"x", "b", "", "a"}), "b|a", "missing items are skipped");
  report.equal(summary_ids(store, {"b", "a", "b"}), "b|a|b", "an id that is asked for twice is answered twice");
  report.equal(summary_ids(store, {}), "", "no ids, no summaries");
  std::vector<std::string_view> many;
  std::string wanted;
  for (int i = 0; i < 5000; ++i) {
    many.push_back(i % 2 == 0 ? "b" : "missing");
    if (i % 2 == 0) wanted += wanted.empty() ? "b" : "|b";
  }
  report.expect(summary_ids(store, many) == wanted, "any number of ids may be asked for");
}

void copies_its_inputs(ItemStoreFixture& fixture, Report& report) {
  std::string id = "a", category = "c", text = "a text";
  std::array<std::string_view, 2> list{text, text};
  const auto overwrite = [&] {
    for (std::string* argument : {&id, &category, &text}) std::fill(argument->begin(), argument->end(), '#');
    list.fill("#");
  };
  Call call;
  auto writer = fixture.port().begin(call);
  if (!report.ok(writer, "a batch begins")) return;
  model::CategoryView shelf = category_of(category);
  shelf.name = shelf.description = shelf.icon = text;
  shelf.subcategories = list;
  report.ok((*writer)->put_category(call, shelf), "a category is put");
  model::ItemView item = item_of(id, category);
  set_all(item, text, list);
  const std::array<const model::ItemView*, 1> items{&item};
  report.ok((*writer)->put(call, items), "an item is put");
  overwrite();
  if (!report.ok((*writer)->commit(call), "the batch is committed")) return;

  const std::array<std::string_view, 2> wanted_list{"a text", "a text"};
  model::ItemView wanted = item_of("a", "c");
  set_all(wanted, "a text", wanted_list);
  wanted = kept(fixture.port(), wanted);
  report.ok(fixture.port().get(call, "a",
                               [&](const model::ItemView& seen) {
                                 const std::string_view differing = difference(kept(fixture.port(), seen), wanted);
                                 report.expect(differing.empty(), "put copies its arguments before it returns",
                                               differing);
                                 return Visit::Continue;
                               }),
            "the item is found");
  report.equal(category_ids(fixture.port(), {0, 10}), "c", "put_category copies its arguments before it returns");
}

void persists_across_reopen(ItemStoreFixture& fixture, Report& report) {
  const model::StoreId store_id = fixture.port().store_id();
  report.expect(store_id != model::StoreId{}, "a store's id is random");
  report.expect(fixture.port().store_id() == store_id, "a store keeps its id while it is open");
  if (!fixture.port().capabilities().persistent) return report.skip("the store is not persistent by declaration");
  const auto revision = commit(fixture.port(), {{category_of("shelf")}, {item_of("a"), item_of("b")}, {}, {}});
  const auto newest = commit(fixture.port(), {{}, {}, {"b"}, {}});
  if (!report.ok(revision, "a batch is committed") || !report.ok(newest, "a removal is committed")) return;
  if (!report.expect(fixture.reopen(), "a persistent store can be opened again")) return;
  Call call;
  report.expect(fixture.port().store_id() == store_id, "the id is made once, when the store is created");
  report.equal(revision_of(fixture.port()), *newest, "the revision survives the process");
  report.equal(feed_text_after(fixture.port(), *revision), "-b", "tombstones survive the process");
  report.ok(fixture.port().get(call, "a",
                               [&](const model::ItemView& seen) {
                                 report.expect(difference(seen, item_of("a")).empty(), "content survives the process",
                                               difference(seen, item_of("a")));
                                 return Visit::Continue;
                               }),
            "an item survives the process");
  const auto next = commit(fixture.port(), {{}, {item_of("c")}, {}, {}});
  if (report.ok(next, "a reopened store takes a batch"))
    report.equal(*next, *newest + 1, "revisions go on where they were");
}

}  // namespace

Suite<ItemStoreFixture> item_store_round_trips() {
  return {
      {"StartsEmpty", "revision", starts_empty},
      {"ReturnsEveryMemberOfAnItem", "kb_item", returns_every_member_of_an_item},
      {"KeepsTheDescriptionOfAnItem", "kb_item.url", keeps_the_description_of_an_item},
      {"ReturnsContentOfEverySize", "get", returns_content_of_every_size},
      {"ReturnsAllOfUnicodeInEveryText", "kb_item", returns_all_of_unicode_in_every_text},
      {"KeepsListEntriesSeparate", "kb_item", keeps_list_entries_separate},
      {"KeepsDaysAndCountsOfTheirWholeRange", "kb_item", keeps_days_and_counts_of_their_whole_range},
      {"DistinguishesIdsByTheirBytes", "", distinguishes_ids_by_their_bytes},
      {"ReplacesTheWholeItem", "put", replaces_the_whole_item},
      {"ReturnsEveryMemberOfACategory", "kb_category", returns_every_member_of_a_category},
      {"ReturnsSummariesInTheRequestedOrder", "summaries", returns_summaries_in_the_requested_order},
      {"CopiesItsInputs", "put", copies_its_inputs},
      {"PersistsAcrossReopen", "lineage", persists_across_reopen},
  };
}

}  // namespace kbase::conformance
