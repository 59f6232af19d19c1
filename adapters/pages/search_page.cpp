// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <utility>

#include "adapters/pages/filling.hpp"
#include "adapters/pages/pages.hpp"

namespace kbase::pages {
namespace {

constexpr std::uint64_t kHits = 20;
constexpr std::uint64_t kTypedHits = 6;
constexpr std::uint64_t kSuggestions = 5;
constexpr std::size_t kShownFacets = 12;

/// Labels of model::Sort, in the order of its values.
constexpr std::array<std::string_view, 3> kSortLabels = {"Best match", "Newest", "Most read"};

/// The filter that a question means. Views of the question.
class Filter {
 public:
  explicit Filter(const Question& question) {
    set(question.categories, filter_.category, categories_, filter_.further_categories);
    set(question.tags, filter_.tag, tags_, filter_.further_tags);
    if (!question.languages.empty()) filter_.language = question.languages.front();
    if (!question.versions.empty()) filter_.version = question.versions.front();
  }
  const ports::SearchFilter& get() const { return filter_; }

 private:
  static void set(const std::vector<std::string>& values, std::optional<std::string_view>& first,
                  std::vector<std::string_view>& views, model::TextList& further) {
    if (values.empty()) return;
    first = values.front();
    views.assign(values.begin() + 1, values.end());
    further = views;
  }

  std::vector<std::string_view> categories_, tags_;
  ports::SearchFilter filter_;
};

/// A facet on the page.
struct ShownFacet {
  std::string_view label;
  std::vector<std::string> Question::*chosen;
  std::vector<ports::FacetValue> ports::Facets::*values;
  bool is_single;  ///< at most one value can be chosen, and the facet is hidden if there is one value only
};
constexpr std::array<ShownFacet, 4> kShown = {{{"Category", &Question::categories, &ports::Facets::categories, false},
                                               {"Tag", &Question::tags, &ports::Facets::tags, false},
                                               {"Language", &Question::languages, &ports::Facets::languages, true},
                                               {"Version", &Question::versions, &ports::Facets::versions, true}}};

/// Returns the values with `value` chosen, or without it if it is.
std::vector<std::string> toggled(std::vector<std::string> values, const std::string& value, bool is_single) {
  const auto found = std::find(values.begin(), values.end(), value);
  if (found != values.end())
    values.erase(found);
  else if (is_single)
    values = {value};
  else
    values.push_back(value);
  return values;
}

void add_hit(ctemplate::TemplateDictionary& hits, const CategoryTree& tree, const ports::SearchHit& hit,
             std::string_view search_id) {
  ctemplate::TemplateDictionary& row = *hits.AddSectionDictionary("HITS");
  const std::string_view title = shown_title(hit.title, hit.id);
  add_parts(row, "TITLE", title, hit.title.empty() ? std::span<const model::Highlight>() : hit.title_highlights);
  add_parts(row, "EXCERPT", hit.excerpt, hit.excerpt_highlights);
  set(row, "ADDRESS", item_address(hit.id, hit.section.anchor, search_id));
  set(row, "CATEGORY", tree.name_of(hit.category));
  if (!hit.section.heading.empty() && hit.section.heading != title)
    set(*row.AddSectionDictionary("SECTION"), "NAME", hit.section.heading);
  set_day(row, hit.updated);
  for (const ports::NamesakeView& each : hit.namesakes) {
    ctemplate::TemplateDictionary& also = *row.AddSectionDictionary("ALSO");
    set(also, "ADDRESS", item_address(each.id, {}, search_id));
    set(also, "NAME", !each.version.empty() ? each.version : !each.language.empty() ? each.language : each.id);
  }
}

/// Whether a language is a form of another one that has the same items, which then says all.
bool is_only_form(const ports::FacetValue& value, const std::vector<ports::FacetValue>& values) {
  return std::ranges::any_of(values, [&](const ports::FacetValue& each) {
    return each.items == value.items && each.value != value.value && model::is_language_in(value.value, each.value);
  });
}

/// Adds the values of a facet, the chosen ones first, each with the address of the question without or with it.
void add_facet(ctemplate::TemplateDictionary& page, const ShownFacet& shown, std::vector<ports::FacetValue> values,
               const Question& question, const CategoryTree& tree) {
  const std::vector<std::string>& chosen = question.*shown.chosen;
  const auto is_chosen = [&chosen](const std::string& value) {
    return std::find(chosen.begin(), chosen.end(), value) != chosen.end();
  };
  const bool is_language = shown.chosen == &Question::languages;
  if (is_language)
    std::erase_if(values, [all = values, &is_chosen](const ports::FacetValue& each) {
      return !is_chosen(each.value) && is_only_form(each, all);
    });
  if (chosen.empty() && values.size() < (shown.is_single ? 2 : 1)) return;
  ctemplate::TemplateDictionary& facet = *page.AddSectionDictionary("FILTERS");
  set(facet, "LABEL", shown.label);
  set(facet, "KIND", ascii::to_lower(shown.label));
  const auto add = [&](const std::string& value, const std::string& items) {
    Question other = question;
    other.*shown.chosen = toggled(chosen, value, shown.is_single);
    other.page = 1;
    ctemplate::TemplateDictionary& row = *facet.AddSectionDictionary("VALUES");
    set(row, "NAME", shown.chosen == &Question::categories ? tree.name_of(value) : std::string_view(value));
    set(row, "ITEMS", items);
    set(row, "ADDRESS", search_address(other));
    if (is_language) set(*row.AddSectionDictionary("IS_LANGUAGE"), "TAG", value);
    if (is_chosen(value)) row.ShowSection("IS_CHOSEN");
  };
  const auto items_of = [&values](const std::string& value) {
    const auto found =
        std::find_if(values.begin(), values.end(), [&](const ports::FacetValue& each) { return each.value == value; });
    return found == values.end() ? std::string() : std::to_string(found->items);
  };
  for (const std::string& value : chosen) add(value, items_of(value));
  std::size_t others = 0;
  for (const ports::FacetValue& each : values)
    if (!is_chosen(each.value) && others++ < kShownFacets) add(each.value, std::to_string(each.items));
}

/// Adds what of the query was changed to find something.
void add_changes(ctemplate::TemplateDictionary& page, const Question& question, const ports::SearchPage& found) {
  for (const ports::Correction& each : found.corrections) {
    ctemplate::TemplateDictionary& row = *page.AddSectionDictionary("CORRECTIONS");
    set(row, "WORD", each.word);
    set(row, "REPLACEMENT", each.replacement);
  }
  if (!found.did_you_mean.empty()) {
    Question other = question;
    other.q = found.did_you_mean;
    other.page = 1;
    ctemplate::TemplateDictionary& link = *page.AddSectionDictionary("DID_YOU_MEAN");
    set(link, "Q", other.q);
    set(link, "ADDRESS", search_address(other));
  }
  if (found.relaxed.phrase) page.ShowSection("RELAXED_PHRASE");
  if (found.relaxed.exclusion) page.ShowSection("RELAXED_EXCLUSION");
  if (found.relaxed.length) page.ShowSection("RELAXED_LENGTH");
}

}  // namespace

Result<FoundPage> Pages::search(const PageRequest& request, const Question& question) {
  const auto tree = KBASE_TRY(categories_.get(request.call));
  Dictionary layout("layout");
  Dictionary& page = add_part(layout, "MAIN", "search.html");
  add_tree(page, *tree, {});
  Head head;
  head.title = question.q.empty() ? std::string("Search") : question.q;
  head.path = search_address(question);
  const bool is_query = utf8::code_points(utf8::trimmed(question.q)) >= model::kMinQueryCodePoints;
  head.is_hidden = is_query;  // search engines need the items, not results
  if (!is_query) {
    page.ShowSection("ASK");
    return FoundPage{in_layout(request, head, layout, question.q), std::nullopt};
  }
  Dictionary& hits = add_part(page, "HITS_PART", "hits.html");
  Dictionary& pager = add_part(page, "PAGER_PART", "pager.html");
  const Filter filter(question);
  ports::SearchQuery query;
  query.q = question.q;
  query.filter = filter.get();
  query.includes_subcategories = true;
  query.limit = kHits;
  query.offset = (question.page - 1) * kHits;
  query.highlights = true;
  query.facets = {true, true, true, true};
  query.sort = question.sort;
  for (std::size_t i = 0; i < kSortLabels.size(); ++i) {
    Question other = question;
    other.sort = static_cast<model::Sort>(i);
    other.page = 1;
    Dictionary& link = *page.AddSectionDictionary("SORTS");
    set(link, "TEXT", kSortLabels[i]);
    set(link, "ADDRESS", search_address(other));
    if (other.sort == question.sort) link.ShowSection("IS_HERE");
  }
  const auto found = KBASE_TRY(deps_.search.search(request.call, query, [&](const ports::SearchHit& hit) {
    add_hit(hits, *tree, hit, request.search_id);
    return Visit::Continue;
  }));
  Dictionary& results = *page.AddSectionDictionary("RESULTS");
  set(results, "TOTAL", std::to_string(found.total));
  results.ShowSection(found.total == 1 ? "IS_ONE" : "IS_PLURAL");
  if (found.total == 0) page.ShowSection("NOTHING");
  set(results, "Q", question.q);
  add_changes(page, question, found);
  // Values can be added to the chosen ones or replace them, so they are counted as if none were chosen.
  const auto count_others = [&](const ShownFacet& shown) -> Result<std::vector<ports::FacetValue>> {
    if ((question.*shown.chosen).empty()) return found.facets.*shown.values;
    Question other = question;
    (other.*shown.chosen).clear();
    const Filter wider(other);
    ports::SearchQuery all = query;
    all.filter = wider.get();
    all.offset = 0;
    all.limit = 1;
    auto counted =
        KBASE_TRY(deps_.search.search(request.call, all, [](const ports::SearchHit&) { return Visit::Continue; }));
    return counted.facets.*shown.values;
  };
  for (const ShownFacet& shown : kShown) {
    auto values = KBASE_TRY(count_others(shown));
    add_facet(page, shown, std::move(values), question, *tree);
  }
  const auto link_page = [&](const char* section, std::uint64_t number) {
    Question other = question;
    other.page = number;
    set(*pager.AddSectionDictionary(section), "ADDRESS", search_address(other));
  };
  if (question.page > 1) link_page("NEWER", question.page - 1);
  if (found.next_offset) link_page("OLDER", question.page + 1);
  return FoundPage{in_layout(request, head, layout, question.q), found.total > 0};
}

Result<FoundPage> Pages::typed(const PageRequest& request, std::string_view q) {
  const auto tree = KBASE_TRY(categories_.get(request.call));
  Dictionary page("typed");
  Dictionary& hits = add_part(page, "HITS_PART", "hits.html");
  ports::SearchQuery query;
  query.q = q;
  query.last_word = model::LastWord::Beginning;
  query.limit = kTypedHits;
  query.highlights = true;
  const auto found = KBASE_TRY(deps_.search.search(request.call, query, [&](const ports::SearchHit& hit) {
    add_hit(hits, *tree, hit, request.search_id);
    return Visit::Continue;
  }));
  KBASE_TRY(deps_.search.suggest(request.call, q, kSuggestions, [&](const ports::Suggestion& suggestion) {
    if (!suggestion.item.empty()) return Visit::Continue;  // it is among the hits
    Question other;
    other.q = suggestion.text;
    Dictionary& row = *page.AddSectionDictionary("SUGGESTIONS");
    set(row, "TEXT", suggestion.text);
    set(row, "ADDRESS", search_address(other));
    return Visit::Continue;
  }));
  Question all;
  all.q = q;
  set(page, "ADDRESS", search_address(all));
  set(page, "TOTAL", std::to_string(found.total));
  page.ShowSection(found.total == 0 ? "NOTHING" : "SOME");
  return FoundPage{templates_.expand("typed.html", page), found.total > 0};
}

}  // namespace kbase::pages
