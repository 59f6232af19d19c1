// SPDX-License-Identifier: Apache-2.0
// What programs read of the site: sitemaps, a feed, and descriptions of it.
#include <algorithm>
#include <utility>

#include "adapters/pages/filling.hpp"
#include "adapters/pages/pages.hpp"

namespace kbase::pages {
namespace {

constexpr std::uint64_t kFeedItems = 20;
constexpr std::uint64_t kListedArticles = ports::kMaxShortListLimit;  // of llms.txt

std::string on_one_line(std::string_view text) {
  std::string line(utf8::trimmed(text));
  std::replace(line.begin(), line.end(), '\n', ' ');
  return line;
}

}  // namespace

Result<std::string> Pages::sitemap(const PageRequest& request, std::optional<std::uint64_t> number) {
  constexpr std::string_view kHead = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n";
  constexpr std::string_view kNames = " xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\">\n";
  const auto tree = KBASE_TRY(categories_.get(request.call));
  std::uint64_t items = 0;
  for (const CategoryNode& node : tree->nodes()) items += node.items;
  const std::string origin(request.origin);
  // The addresses have no character that XML would need escaped.
  std::string map(kHead);
  if (!number && items > kSitemapItems) {
    map.append("<sitemapindex").append(kNames);
    for (std::uint64_t i = 1; (i - 1) * kSitemapItems < items; ++i)
      map.append("<sitemap><loc>" + origin + "/sitemap.xml?number=" + std::to_string(i) + "</loc></sitemap>\n");
    return map.append("</sitemapindex>\n");
  }
  map.append("<urlset").append(kNames);
  if (number.value_or(0) == 0) map.append("<url><loc>" + origin + "/</loc></url>\n");
  const ports::Slice slice{number.value_or(0) * kSitemapItems, kSitemapItems};
  KBASE_TRY(deps_.catalog.all_items(request.call, slice, [&](const model::ItemSummaryView& item) {
    map.append("<url><loc>").append(origin).append(item_address(item.id)).append("</loc>");
    if (item.metadata.updated != model::Day())
      map.append("<lastmod>").append(model::format_day(item.metadata.updated)).append("</lastmod>");
    map.append("</url>\n");
    return Visit::Continue;
  }));
  return map.append("</urlset>\n");
}

Result<std::string> Pages::feed(const PageRequest& request) {
  Dictionary feed("feed");
  set(feed, "SITE", options_.name);
  set(feed, "ORIGIN", request.origin);
  model::Day newest{};
  KBASE_TRY(deps_.catalog.recent(request.call, kFeedItems, [&](const model::ItemSummaryView& item) {
    newest = std::max(newest, item.metadata.updated);
    Dictionary& entry = *feed.AddSectionDictionary("ENTRIES");
    set(entry, "TITLE", shown_title(item.title, item.id));
    set(entry, "ADDRESS", std::string(request.origin) + item_address(item.id));
    set(entry, "UPDATED", model::format_day(item.metadata.updated));
    set(entry, "SUMMARY", item.excerpt);
    if (item.metadata.author.empty())
      entry.ShowSection("NO_AUTHOR");
    else
      set(*entry.AddSectionDictionary("AUTHOR"), "NAME", item.metadata.author);
    return Visit::Continue;
  }));
  set(feed, "UPDATED", model::format_day(newest));
  return templates_.expand("feed.xml", feed);
}

std::string Pages::opensearch_description(const PageRequest& request) const {
  Dictionary description("opensearch");
  set(description, "SITE", utf8::prefix(options_.name, 16));  // OpenSearch 1.1, ShortName
  set(description, "NAME", options_.name);
  set(description, "ORIGIN", request.origin);
  set(description, "ICON", options_.icon);
  return templates_.expand("opensearch.xml", description);
}

std::string Pages::robots(const PageRequest& request) const {
  return "User-agent: *\nDisallow: /search?\nDisallow: " + options_.base_path +
         "/\nSitemap: " + std::string(request.origin) + "/sitemap.xml\n";
}

Result<std::string> Pages::llms(const PageRequest& request) {
  const auto tree = KBASE_TRY(categories_.get(request.call));
  const std::string origin(request.origin);
  std::string text = "# " + on_one_line(options_.name) + "\n";
  if (!options_.description.empty()) text += "\n> " + on_one_line(options_.description) + "\n";
  text += "\nEach article is Markdown at its address with `.md` appended. The API at " + origin + options_.base_path +
          " searches them: `GET " + options_.base_path + "/search?q=WORDS`. Its description is " + origin +
          options_.base_path + "/openapi.json.\n";
  if (!tree->roots().empty()) text += "\n## Categories\n\n";
  for (const std::size_t root : tree->roots()) {
    const CategoryNode& node = tree->nodes()[root];
    text += "- [" + on_one_line(node.name) + "](" + origin + category_address(node.id) + ")";
    if (!node.description.empty()) text += ": " + on_one_line(node.description);
    text += '\n';
  }
  text += "\n## Recently updated articles\n\n";
  KBASE_TRY(deps_.catalog.recent(request.call, kListedArticles, [&](const model::ItemSummaryView& item) {
    const std::string title = on_one_line(shown_title(item.title, item.id));
    text += "- [" + title + "](" + origin + item_address(item.id) + ".md)";
    if (!item.excerpt.empty()) text += ": " + on_one_line(item.excerpt);
    text += '\n';
    return Visit::Continue;
  }));
  return text;
}

}  // namespace kbase::pages
