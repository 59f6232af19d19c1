// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <utility>

#include "adapters/pages/filling.hpp"
#include "adapters/pages/pages.hpp"

namespace kbase::pages {
namespace {

constexpr std::uint64_t kHomeItems = 6;
constexpr std::uint64_t kListedItems = 50;
constexpr std::uint64_t kCategoryItems = 50;

struct PeriodName {
  ports::Period period;
  std::string_view name, text;
};
constexpr std::array<PeriodName, 4> kPeriods = {{{ports::Period::Day, "day", "Today"},
                                                 {ports::Period::Week, "week", "This week"},
                                                 {ports::Period::Month, "month", "This month"},
                                                 {ports::Period::All, "all", "All time"}}};

std::string with_count(std::uint64_t count, std::string_view one, std::string_view many) {
  return std::to_string(count) + ' ' + std::string(count == 1 ? one : many);
}

}  // namespace

Result<std::string> Pages::home(const PageRequest& request) {
  const auto tree = KBASE_TRY(categories_.get(request.call));
  Dictionary layout("layout");
  Dictionary& page = add_part(layout, "MAIN", "home.html");
  Head head;
  head.title = options_.name;
  head.description = options_.description;
  head.path = "/";
  set(page, "SITE", options_.name);
  set(page, "DESCRIPTION", options_.description);
  for (const std::size_t root : tree->roots()) {
    const CategoryNode& node = tree->nodes()[root];
    Dictionary& card = *page.AddSectionDictionary("CATEGORIES");
    set(card, "NAME", node.name);
    set(card, "DESCRIPTION", node.description);
    set(card, "ADDRESS", category_address(node.id));
    set(card, "ITEMS", with_count(node.items, "article", "articles"));
    for (const std::size_t child : node.children) {
      Dictionary& link = *card.AddSectionDictionary("CHILDREN");
      set(link, "NAME", tree->nodes()[child].name);
      set(link, "ADDRESS", category_address(tree->nodes()[child].id));
    }
  }
  const auto add = [&](const char* section, const model::ItemSummaryView& item) {
    Dictionary& row = *page.AddSectionDictionary(section);
    set(row, "TITLE", shown_title(item.title, item.id));
    set(row, "ADDRESS", item_address(item.id));
    set(row, "CATEGORY", tree->name_of(item.category));
    set_day(row, item.metadata.updated);
  };
  KBASE_TRY(deps_.catalog.recent(request.call, kHomeItems, [&](const model::ItemSummaryView& item) {
    add("RECENT", item);
    return Visit::Continue;
  }));
  KBASE_TRY(deps_.catalog.popular(request.call, ports::Period::Month, kHomeItems, [&](const ports::PopularItem& item) {
    if (item.period_views > 0) add("POPULAR", *item.item);
    return Visit::Continue;
  }));
  return in_layout(request, head, layout);
}

Result<std::string> Pages::category(const PageRequest& request, std::string_view id, std::uint64_t number) {
  const auto tree = KBASE_TRY(categories_.get(request.call));
  Dictionary layout("layout");
  Dictionary& page = add_part(layout, "MAIN", "category.html");
  Head head;
  std::uint64_t items = 0;
  KBASE_TRY(deps_.catalog.category(request.call, id, [&](const model::CategoryView& category) {
    head.title = category.name.empty() ? category.id : category.name;
    head.description = category.description;
    items = category.item_count;
    return Visit::Stop;
  }));
  head.path = category_address(id, number);
  head.is_hidden = number > 1;
  set(page, "HEADING", head.title);
  set(page, "DESCRIPTION_TEXT", head.description);
  set(page, "COUNT", with_count(items, "article", "articles"));
  if (const CategoryNode* const node = tree->find(id))
    for (const std::size_t child : node->children) {
      Dictionary& card = *page.AddSectionDictionary("CHILDREN");
      set(card, "NAME", tree->nodes()[child].name);
      set(card, "ADDRESS", category_address(tree->nodes()[child].id));
      set(card, "ITEMS", with_count(tree->nodes()[child].items, "article", "articles"));
    }
  Dictionary& rows = add_part(page, "ROWS_PART", "rows.html");
  const ports::Slice slice{(number - 1) * kCategoryItems, kCategoryItems};
  KBASE_TRY(deps_.catalog.category_items(request.call, id, ports::Subcategories::Excluded, slice,
                                         [&](const model::ItemSummaryView& item) {
                                           add_row(rows, *tree, item);
                                           return Visit::Continue;
                                         }));
  Dictionary& pager = add_part(page, "PAGER_PART", "pager.html");
  if (number > 1) set(*pager.AddSectionDictionary("NEWER"), "ADDRESS", category_address(id, number - 1));
  if (number * kCategoryItems < items)
    set(*pager.AddSectionDictionary("OLDER"), "ADDRESS", category_address(id, number + 1));
  add_path(page, *tree, id);
  add_tree(page, *tree, id);
  return in_layout(request, head, layout);
}

/// Returns the page of a list. `read` adds to the page what it has besides the items, and visits the items.
Result<std::string> Pages::list(const PageRequest& request, std::string title, std::string path,
                                FunctionRef<Status(Dictionary& page, ports::SummaryVisitor visitor)> read) {
  const auto tree = KBASE_TRY(categories_.get(request.call));
  Dictionary layout("layout");
  Dictionary& page = add_part(layout, "MAIN", "list.html");
  Dictionary& rows = add_part(page, "ROWS_PART", "rows.html");
  set(page, "HEADING", title);
  KBASE_TRY(read(page, [&](const model::ItemSummaryView& item) {
    add_row(rows, *tree, item);
    return Visit::Continue;
  }));
  add_tree(page, *tree, {});
  Head head;
  head.title = std::move(title);
  head.path = std::move(path);
  return in_layout(request, head, layout);
}

Result<std::string> Pages::popular(const PageRequest& request, ports::Period period) {
  return list(request, "Popular", "/popular", [&](Dictionary& page, ports::SummaryVisitor visitor) {
    for (const PeriodName& each : kPeriods) {
      Dictionary& tab = *page.AddSectionDictionary("TABS");
      set(tab, "TEXT", each.text);
      set(tab, "ADDRESS", "/popular?period=" + std::string(each.name));
      if (each.period == period) tab.ShowSection("IS_HERE");
    }
    return deps_.catalog.popular(request.call, period, kListedItems,
                                 [&](const ports::PopularItem& item) { return visitor(*item.item); });
  });
}

Result<std::string> Pages::recent(const PageRequest& request) {
  return list(request, "Recently updated", "/recent", [&](Dictionary&, ports::SummaryVisitor visitor) {
    return deps_.catalog.recent(request.call, kListedItems, visitor);
  });
}

}  // namespace kbase::pages
