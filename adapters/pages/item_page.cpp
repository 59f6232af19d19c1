// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <nlohmann/json.hpp>
#include <span>
#include <utility>

#include "adapters/pages/content_links.hpp"
#include "adapters/pages/filling.hpp"
#include "adapters/pages/pages.hpp"
#include "domain/model/document.hpp"
#include "domain/model/extra_members.hpp"

namespace kbase::pages {
namespace {

using Json = nlohmann::json;

constexpr std::size_t kDescriptionCodePoints = 160;  // search engines show about as many
constexpr std::size_t kMinContents = 3;              // headings of a table of contents
constexpr std::uint32_t kMaxContentsLevel = 3;
constexpr std::uint64_t kMaxNeighbors = 200;  // items of a category whose items are listed next to each of them
constexpr std::uint64_t kRelated = 6;

/// Returns JSON that may stand in an element of HTML.
std::string as_script_data(const Json& json) {
  std::string text = json.dump(-1, ' ', false, Json::error_handler_t::replace);
  for (std::size_t at = text.find('<'); at != std::string::npos; at = text.find('<', at))
    text.replace(at, 1, "\\u003c");
  return text;
}

/// Returns the first sentences of an item.
std::string description_of(const model::ItemView& item) {
  const std::string_view text = item.summary.empty() ? item.excerpt : item.summary;
  const std::string_view part = utf8::prefix(text, kDescriptionCodePoints);
  if (part.size() == text.size()) return std::string(text);
  const std::size_t space = part.rfind(' ');
  return std::string(part.substr(0, space)) + "…";
}

std::vector<model::Section> sections_of(const model::ItemView& item) {
  std::vector<model::Section> sections;
  for (const std::string_view encoded : item.sections)
    if (auto section = model::decode_section(encoded)) sections.push_back(*std::move(section));
  return sections;
}

/// Returns the members of an item's extra metadata, which is stored without braces.
Json extra_members(std::string_view extra) {
  Json members = Json::parse("{" + std::string(extra) + "}", nullptr, false);
  return members.is_object() ? members : Json::object();
}

/// Returns a member of the extra metadata that is a text; empty: it has no such member.
std::string extra_text(const Json& extra, std::span<const std::string_view> names) {
  for (const std::string_view name : names)
    if (const auto found = extra.find(name); found != extra.end() && found->is_string())
      return found->get<std::string>();
  return {};
}

/// The pages of a category are sorted by the place that their metadata gives them, then by their ids.
bool is_before(const Neighbor& left, const Neighbor& right) {
  return left.place != right.place ? left.place < right.place : left.id < right.id;
}

constexpr double kNoPlace = 1e9;

double place_of(std::string_view extra) {
  if (extra.empty()) return kNoPlace;
  const Json json = extra_members(extra);
  for (const std::string_view name : model::kPlaceMembers)
    if (const auto found = json.find(name); found != json.end() && found->is_number()) return found->get<double>();
  return kNoPlace;
}

/// Returns the items of a category in the order in which they are read; none if they are more than kMaxNeighbors.
Result<std::vector<Neighbor>> read_neighbors(ports::Call& call, ports::Catalog& catalog, std::string_view category) {
  std::vector<Neighbor> neighbors;
  const ports::Slice slice{0, kMaxNeighbors + 1};
  const Status read = catalog.category_items(
      call, category, ports::Subcategories::Excluded, slice, [&neighbors](const model::ItemSummaryView& item) {
        const std::string_view title = shown_title(item.title, item.id);
        neighbors.push_back({place_of(item.metadata.extra), std::string(item.id), std::string(title)});
        return Visit::Continue;
      });
  if (!read && read.error().code != ErrorCode::NotFound) return read.error();
  if (neighbors.size() > kMaxNeighbors) neighbors.clear();
  std::sort(neighbors.begin(), neighbors.end(), is_before);
  return neighbors;
}

void add_link(ctemplate::TemplateDictionary& page, const char* section, const Neighbor& neighbor) {
  ctemplate::TemplateDictionary& link = *page.AddSectionDictionary(section);
  set(link, "TITLE", neighbor.title);
  set(link, "ADDRESS", item_address(neighbor.id));
}

/// Adds the items of the category that are before and after this one.
void add_neighbors(ctemplate::TemplateDictionary& page, const std::vector<Neighbor>& neighbors, std::string_view id) {
  const auto here =
      std::find_if(neighbors.begin(), neighbors.end(), [id](const Neighbor& each) { return each.id == id; });
  if (here == neighbors.end()) return;
  if (here != neighbors.begin()) add_link(page, "PREVIOUS", *std::prev(here));
  if (std::next(here) != neighbors.end()) add_link(page, "NEXT", *std::next(here));
}

void add_contents(ctemplate::TemplateDictionary& page, const std::vector<model::Section>& sections,
                  std::string_view title) {
  std::vector<const model::Section*> shown;
  for (const model::Section& section : sections)
    if (section.level <= kMaxContentsLevel && (&section != &sections.front() || section.heading != title))
      shown.push_back(&section);
  if (shown.size() < kMinContents) return;
  std::uint32_t top = kMaxContentsLevel;
  for (const model::Section* section : shown) top = std::min(top, section->level);
  ctemplate::TemplateDictionary& list = *page.AddSectionDictionary("CONTENTS_PART");
  for (const model::Section* section : shown) {
    ctemplate::TemplateDictionary& row = *list.AddSectionDictionary("CONTENTS");
    set(row, "TEXT", section->heading);
    set(row, "ANCHOR", anchor_address(section->anchor));
    set(row, "DEPTH", std::to_string(section->level - top));
  }
}

/// Returns what search engines read of an article (schema.org).
Json article_facts(const model::ItemView& item, const std::string& address, const std::string& description) {
  Json facts = {{"@context", "https://schema.org"},
                {"@type", "TechArticle"},
                {"headline", shown_title(item.title, item.id)},
                {"url", address},
                {"mainEntityOfPage", address}};
  if (!description.empty()) facts["description"] = description;
  if (item.metadata.updated != model::Day()) facts["dateModified"] = model::format_day(item.metadata.updated);
  if (item.metadata.created != model::Day()) facts["datePublished"] = model::format_day(item.metadata.created);
  if (!item.metadata.author.empty()) facts["author"] = {{"@type", "Person"}, {"name", item.metadata.author}};
  if (!item.language.empty()) facts["inLanguage"] = item.language;
  if (!item.tags.empty()) facts["keywords"] = item.tags;
  return facts;
}

/// Returns the questions of an article whose headings are questions; null: it has fewer than two.
Json question_facts(const model::Document& document) {
  Json questions = Json::array();
  for (std::size_t i = 0; i < document.sections.size(); ++i) {
    const model::Section& section = document.sections[i];
    if (!section.heading.ends_with('?')) continue;
    const std::size_t end = i + 1 < document.sections.size() ? document.sections[i + 1].begin : document.text.size();
    const std::size_t begin = std::min(section.begin + section.heading.size(), end);
    const std::string_view answer = utf8::trimmed(std::string_view(document.text).substr(begin, end - begin));
    if (answer.empty()) continue;
    questions.push_back({{"@type", "Question"},
                         {"name", section.heading},
                         {"acceptedAnswer", {{"@type", "Answer"}, {"text", answer}}}});
  }
  if (questions.size() < 2) return nullptr;
  return {{"@context", "https://schema.org"}, {"@type", "FAQPage"}, {"mainEntity", std::move(questions)}};
}

Json path_facts(std::string_view origin, const CategoryTree& tree, const model::ItemView& item) {
  Json steps = Json::array();
  const auto add = [&](std::string_view name, const std::string& path) {
    steps.push_back(
        {{"@type", "ListItem"}, {"position", steps.size() + 1}, {"name", name}, {"item", std::string(origin) + path}});
  };
  if (const CategoryNode* const node = tree.find(item.category))
    for (const CategoryNode* each : tree.path_to(*node)) add(each->name, category_address(each->id));
  add(shown_title(item.title, item.id), item_address(item.id));
  return {{"@context", "https://schema.org"}, {"@type", "BreadcrumbList"}, {"itemListElement", std::move(steps)}};
}

}  // namespace

Result<std::string> Pages::item(const PageRequest& request, std::string_view id) {
  const auto tree = KBASE_TRY(categories_.get(request.call));
  Dictionary layout("layout");
  Dictionary& page = add_part(layout, "MAIN", "item.html");
  Head head;
  head.is_article = true;
  std::string category;
  KBASE_TRY(deps_.catalog.item(request.call, id, [&](const model::ItemView& item) {
    category = item.category;
    const std::string_view title = shown_title(item.title, item.id);
    head.title = title;
    head.description = description_of(item);
    head.path = item_address(item.id);
    head.canonical = item.url;
    head.language = item.language;
    const auto format = model::parse_format(item.format).value_or(model::Format::Markdown);
    const ContentLinks links(item);
    const auto link = [&links](std::string_view target) { return links.find(target); };
    set(page, "HEADING", title);
    set(page, "BODY", deps_.page_markup.html(item.content, format, {title, item.url, link}));
    set(page, "MARKDOWN_ADDRESS", item_address(item.id) + ".md");
    if (options_.has_insights)
      set(*page.AddSectionDictionary("FEEDBACK"), "ADDRESS", options_.base_path + item_address(item.id) + "/feedback");
    set_day(page, item.metadata.updated);
    if (!item.metadata.author.empty()) set(*page.AddSectionDictionary("AUTHOR"), "NAME", item.metadata.author);
    if (!item.version.empty()) set(*page.AddSectionDictionary("VERSION"), "NAME", item.version);
    if (!item.url.empty()) set(*page.AddSectionDictionary("ORIGINAL"), "ADDRESS", item.url);
    const Json extra = extra_members(item.metadata.extra);
    if (const std::string edit = extra_text(extra, model::kEditMembers); !edit.empty())
      set(*page.AddSectionDictionary("EDIT"), "ADDRESS", edit);
    for (const std::string_view tag : item.tags) {
      Dictionary& row = *page.AddSectionDictionary("TAGS");
      set(row, "NAME", tag);
      set(row, "ADDRESS", search_address(tag_question(tag)));
    }
    add_contents(page, sections_of(item), title);
    const std::string address = head.canonical.empty() ? std::string(request.origin) + head.path : head.canonical;
    head.facts.push_back(as_script_data(article_facts(item, address, head.description)));
    head.facts.push_back(as_script_data(path_facts(request.origin, *tree, item)));
    if (const Json questions = question_facts(deps_.markup.document(item.content, format)); !questions.is_null())
      head.facts.push_back(as_script_data(questions));
    return Visit::Stop;
  }));
  const auto neighbors = KBASE_TRY(read_neighbors(request.call, deps_.catalog, category));
  add_neighbors(page, neighbors, id);
  add_path(page, *tree, category);
  add_tree(page, *tree, category, neighbors, id);
  Dictionary* related_part = nullptr;
  // An index that is not ready has no related items; the page has all else.
  (void)deps_.catalog.related(request.call, id, kRelated, [&](const ports::RelatedItem& related) {
    if (related_part == nullptr) related_part = page.AddSectionDictionary("RELATED_PART");
    Dictionary& row = *related_part->AddSectionDictionary("RELATED");
    set(row, "TITLE", shown_title(related.item->title, related.item->id));
    set(row, "ADDRESS", item_address(related.item->id));
    return Visit::Continue;
  });
  return in_layout(request, head, layout);
}

Result<std::string> Pages::item_markdown(const PageRequest& request, std::string_view id) {
  std::string text;
  KBASE_TRY(deps_.catalog.item(request.call, id, [&](const model::ItemView& item) {
    const std::string_view title = shown_title(item.title, item.id);
    const auto format = model::parse_format(item.format).value_or(model::Format::Markdown);
    const bool is_markdown = format == model::Format::Markdown;
    const model::Document document = deps_.markup.document(item.content, format);
    // A page that begins with its title has it once.
    if (!is_markdown || document.heading != title) text.append("# ").append(title).append("\n\n");
    text += is_markdown ? std::string(item.content) : document.text;
    if (!text.ends_with('\n')) text += '\n';
    const std::string address =
        item.url.empty() ? std::string(request.origin) + item_address(item.id) : std::string(item.url);
    text.append("\n---\n\nSource: ").append(address).append("\n");
    return Visit::Stop;
  }));
  return text;
}

}  // namespace kbase::pages
