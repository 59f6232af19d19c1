// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <utility>

#include "adapters/pages/filling.hpp"
#include "adapters/pages/pages.hpp"

namespace kbase::pages {
namespace {

constexpr std::uint64_t kHomeItems = 6;
constexpr std::size_t kCards = 30;
constexpr std::size_t kLinksOfCard = 8;
constexpr std::uint64_t kListedItems = 50;
constexpr std::uint64_t kCategoryItems = 50;

/// Labels of ports::Period, in the order of its values.
constexpr std::array<std::string_view, 4> kPeriodLabels = {"Today", "This week", "This month", "All time"};

std::string with_count(std::uint64_t count, std::string_view one, std::string_view many) {
  return std::to_string(count) + ' ' + std::string(count == 1 ? one : many);
}

/// Returns the categories below those that are alone on their level, which say less than the ones below them.
const std::vector<std::size_t>& without_single(const CategoryTree& tree, const std::vector<std::size_t>& nodes) {
  const std::vector<std::size_t>* inner = &nodes;
  while (inner->size() == 1 && !tree.nodes()[inner->front()].children.empty())
    inner = &tree.nodes()[inner->front()].children;
  return *inner;
}

/// Adds the first categories of `nodes` as cards.
void add_cards(ctemplate::TemplateDictionary& page, const CategoryTree& tree, const std::vector<std::size_t>& nodes) {
  if (nodes.empty()) return;
  ctemplate::TemplateDictionary& part = *page.AddSectionDictionary("CATEGORIES_PART");
  for (std::size_t i = 0; i < std::min(nodes.size(), kCards); ++i) {
    const CategoryNode& node = tree.nodes()[nodes[i]];
    ctemplate::TemplateDictionary& card = *part.AddSectionDictionary("CATEGORIES");
    set(card, "NAME", node.name);
    set(card, "DESCRIPTION", node.description);
    set(card, "ADDRESS", category_address(node.id));
    set(card, "ITEMS", with_count(node.all_items, "article", "articles"));
    const std::vector<std::size_t>& children = without_single(tree, node.children);
    for (std::size_t child = 0; child < std::min(children.size(), kLinksOfCard); ++child) {
      ctemplate::TemplateDictionary& link = *card.AddSectionDictionary("CHILDREN");
      set(link, "NAME", tree.nodes()[children[child]].name);
      set(link, "ADDRESS", category_address(tree.nodes()[children[child]].id));
    }
  }
  if (nodes.size() > kCards) part.ShowSection("HAS_MORE");
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
  std::uint64_t articles = 0;
  for (const CategoryNode& node : tree->nodes()) articles += node.items;
  set(page, "COUNT", with_count(articles, "article", "articles"));
  if (articles == 0) page.ShowSection("IS_EMPTY");
  add_cards(page, *tree, without_single(*tree, tree->roots()));
  Dictionary* list = nullptr;
  const auto add = [&](const char* section, const model::ItemSummaryView& item) {
    if (list == nullptr) list = page.AddSectionDictionary(section);
    add_row(*list, *tree, item);
  };
  KBASE_TRY(deps_.catalog.recent(request.call, kHomeItems, [&](const model::ItemSummaryView& item) {
    add("RECENT_PART", item);
    return Visit::Continue;
  }));
  list = nullptr;
  KBASE_TRY(deps_.catalog.popular(request.call, ports::Period::Month, kHomeItems, [&](const ports::PopularItem& item) {
    if (item.period_views > 0) add("POPULAR_PART", *item.item);
    return Visit::Continue;
  }));
  return in_layout(request, head, layout);
}

Result<std::string> Pages::categories(const PageRequest& request, std::uint64_t number) {
  const auto tree = KBASE_TRY(categories_.get(request.call));
  Dictionary layout("layout");
  Dictionary& page = add_part(layout, "MAIN", "categories.html");
  const std::uint64_t begin = (number - 1) * kListedCategories, end = begin + kListedCategories;
  std::uint64_t at = 0;
  const auto add_nodes = [&](const auto& self, const std::vector<std::size_t>& nodes, std::size_t depth) -> void {
    for (const std::size_t each : nodes) {
      const CategoryNode& node = tree->nodes()[each];
      if (at >= begin && at < end) {
        Dictionary& row = *page.AddSectionDictionary("CATEGORIES");
        set(row, "NAME", node.name);
        set(row, "ADDRESS", category_address(node.id));
        set(row, "DEPTH", std::to_string(depth));
        set(row, "ITEMS", std::to_string(node.all_items));
      }
      ++at;
      self(self, node.children, depth + 1);
    }
  };
  add_nodes(add_nodes, tree->roots(), 0);
  Dictionary& pager = add_part(page, "PAGER_PART", "pager.html");
  const auto address = [](std::uint64_t page_number) {
    return page_number == 1 ? std::string("/categories") : "/categories?page=" + std::to_string(page_number);
  };
  if (number > 1) set(*pager.AddSectionDictionary("NEWER"), "ADDRESS", address(number - 1));
  if (end < at) set(*pager.AddSectionDictionary("OLDER"), "ADDRESS", address(number + 1));
  Head head;
  head.title = "All categories";
  head.path = address(number);
  head.is_hidden = number > 1;
  set(page, "HEADING", head.title);
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
  if (const CategoryNode* const node = tree->find(id)) add_cards(page, *tree, node->children);
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
    for (std::size_t i = 0; i < kPeriodLabels.size(); ++i) {
      Dictionary& tab = *page.AddSectionDictionary("TABS");
      set(tab, "TEXT", kPeriodLabels[i]);
      set(tab, "ADDRESS", "/popular?period=" + std::string(kPeriodNames[i]));
      if (static_cast<ports::Period>(i) == period) tab.ShowSection("IS_HERE");
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
