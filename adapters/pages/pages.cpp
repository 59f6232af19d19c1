// SPDX-License-Identifier: Apache-2.0
#include "adapters/pages/pages.hpp"

#include <utility>

#include "adapters/pages/api_reference.hpp"
#include "adapters/pages/filling.hpp"

namespace kbase::pages {
namespace {

constexpr std::size_t kShownSiblings = 60;  // categories below one that are in the tree of a page

std::string edition_of(const Templates& templates, const SiteOptions& options) {
  std::string all = templates.text();
  for (const std::string* text :
       {&options.name, &options.description, &options.base_path, &options.language, &options.logo, &options.script,
        &options.theme_script, &options.style, &options.icon, &options.api_description})
    all.append(*text).append("\n");
  if (options.has_accounts) all.append("accounts\n");
  if (options.has_insights) all.append("insights\n");
  for (const std::vector<SiteLink>* links : {&options.links, &options.footer})
    for (const SiteLink& link : *links) all.append(link.text).append("\n").append(link.address).append("\n");
  return std::to_string(TextHash()(all));
}

}  // namespace

Result<std::unique_ptr<Pages>> Pages::open(const std::filesystem::path& folder, SiteOptions options,
                                           const Dependencies& deps) {
  auto templates = KBASE_TRY(Templates::open(folder, "explorer.path"));
  return std::unique_ptr<Pages>(new Pages(std::move(templates), std::move(options), deps));
}

Pages::Pages(Templates templates, SiteOptions options, const Dependencies& deps)
    : templates_(std::move(templates)),
      options_(std::move(options)),
      edition_(edition_of(templates_, options_)),
      deps_(deps),
      reference_(std::make_unique<const ApiReference>(read_api_reference(options_.api_description))),
      categories_(deps.catalog) {}

Pages::~Pages() = default;

/// Returns the page: the part MAIN of `layout` between the head and the foot that all pages have. `q`: of the search
/// form.
std::string Pages::in_layout(const PageRequest& request, const Head& head, Dictionary& layout,
                             std::string_view q) const {
  set(layout, "SITE", options_.name);
  set(layout, "TITLE", head.title);
  const std::string& about = options_.description.empty() ? options_.name : options_.description;
  set(layout, "DESCRIPTION", head.description.empty() ? about : head.description);
  set(layout, "LANGUAGE", head.language.empty() ? options_.language : head.language);
  set(layout, "ORIGIN", request.origin);
  set(layout, "CANONICAL", head.canonical.empty() ? std::string(request.origin) + head.path : head.canonical);
  set(layout, "TYPE", head.is_article ? "article" : "website");
  set(layout, "BASE", options_.base_path);
  set(layout, "SCRIPT", options_.script);
  set(layout, "THEME_SCRIPT", options_.theme_script);
  set(layout, "STYLE", options_.style);
  set(layout, "ICON", options_.icon);
  set(layout, "Q", q);
  if (head.title != options_.name) layout.ShowSection("HAS_OWN_TITLE");
  if (head.is_hidden) layout.ShowSection("IS_HIDDEN");
  if (!options_.logo.empty()) set(*layout.AddSectionDictionary("LOGO"), "ADDRESS", options_.logo);
  for (const std::string& facts : head.facts) set(*layout.AddSectionDictionary("FACTS"), "JSON", facts);
  const auto add_links = [&layout](const char* section, const std::vector<SiteLink>& links) {
    for (const SiteLink& link : links) {
      Dictionary& row = *layout.AddSectionDictionary(section);
      set(row, "TEXT", link.text);
      set(row, "ADDRESS", link.address);
    }
  };
  add_links("LINKS", options_.links);
  add_links("FOOTER", options_.footer);
  if (options_.has_accounts) layout.ShowSection("HAS_ACCOUNTS");
  return templates_.expand("layout.html", layout);
}

/// Adds the categories: the roots, and the open ones on the way to `category` with what is below them. `articles`: of
/// the category; `article`: the one that is shown.
void Pages::add_tree(Dictionary& page, const CategoryTree& tree, std::string_view category,
                     std::span<const Neighbor> articles, std::string_view article) const {
  Dictionary& part = add_part(page, "TREE_PART", "tree.html");
  const CategoryNode* const here = tree.find(category);
  const auto path = here == nullptr ? std::vector<const CategoryNode*>() : tree.path_to(*here);
  const auto add_row = [&part](std::string_view name, const std::string& address, std::size_t depth) -> Dictionary& {
    Dictionary& row = *part.AddSectionDictionary("TREE");
    set(row, "NAME", name);
    set(row, "ADDRESS", address);
    set(row, "DEPTH", std::to_string(depth));
    return row;
  };
  const auto add_nodes = [&](const auto& self, const std::vector<std::size_t>& nodes, std::size_t depth) -> void {
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      const CategoryNode& node = tree.nodes()[nodes[i]];
      const bool is_open = depth < path.size() && path[depth] == &node;
      if (i >= kShownSiblings && !is_open) continue;
      Dictionary& row = add_row(node.name, category_address(node.id), depth);
      row.ShowSection("IS_CATEGORY");
      if (&node == here && article.empty()) row.ShowSection("IS_HERE");
      if (!is_open) continue;
      if (&node == here)
        for (const Neighbor& each : articles) {
          Dictionary& item = add_row(each.title, item_address(each.id), depth + 1);
          item.ShowSection("IS_ARTICLE");
          if (each.id == article) item.ShowSection("IS_HERE");
        }
      self(self, node.children, depth + 1);
    }
    if (nodes.size() > kShownSiblings) add_row("All categories", "/categories", depth);
  };
  add_nodes(add_nodes, tree.roots(), 0);
}

/// Adds the categories from the root to `category`.
void Pages::add_path(Dictionary& page, const CategoryTree& tree, std::string_view category) const {
  Dictionary& part = add_part(page, "PATH_PART", "path.html");
  const CategoryNode* const node = tree.find(category);
  if (node == nullptr) return;
  for (const CategoryNode* each : tree.path_to(*node)) {
    Dictionary& step = *part.AddSectionDictionary("PATH");
    set(step, "NAME", each->name);
    set(step, "ADDRESS", category_address(each->id));
  }
}

/// Adds a row to a list of items.
void Pages::add_row(Dictionary& rows, const CategoryTree& tree, const model::ItemSummaryView& item) const {
  Dictionary& row = *rows.AddSectionDictionary("ROWS");
  set(row, "TITLE", shown_title(item.title, item.id));
  set(row, "ADDRESS", item_address(item.id));
  set(row, "EXCERPT", item.excerpt);
  set(row, "CATEGORY", tree.name_of(item.category));
  set(row, "CATEGORY_ADDRESS", category_address(item.category));
  set_day(row, item.metadata.updated);
}

Result<std::string> Pages::account(const PageRequest& request) const {
  return account_page(request, "account.html", "Your account", "/account");
}

Result<std::string> Pages::confirmation(const PageRequest& request) const {
  return account_page(request, "confirm.html", "Sign in", "/account/confirm");
}

std::string Pages::account_page(const PageRequest& request, const char* name, std::string title,
                                std::string path) const {
  Dictionary layout("layout");
  set(add_part(layout, "MAIN", name), "BASE", options_.base_path);
  Head head;
  head.title = std::move(title);
  head.path = std::move(path);
  head.is_hidden = true;
  return in_layout(request, head, layout);
}

std::string Pages::problem(const PageRequest& request, const PageProblem& problem) {
  Dictionary layout("layout");
  Dictionary& page = add_part(layout, "MAIN", "problem.html");
  set(page, "STATUS", std::to_string(problem.status));
  set(page, "HEADING", problem.title);
  set(page, "MESSAGE", problem.message);
  if (problem.retry_after.count() > 0)
    set(*page.AddSectionDictionary("RETRY"), "SECONDS", std::to_string(problem.retry_after.count()));
  Head head;
  head.title = problem.title;
  head.is_hidden = true;
  return in_layout(request, head, layout);
}

}  // namespace kbase::pages
