// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>

#include "domain/base/text.hpp"
#include "plugins/conformance/search_index_checks.hpp"

// Checks of sort orders, paging, relevance and excerpts.
// Checks of filters by tag and day, facets, and highlights. Each applies only if the index declares the feature.
namespace kbase::conformance {
namespace {

void gives_relevance_as_a_fraction(SearchIndexFixture& fixture, Report& report) {
  if (!fill(fixture, report,
            {{.id = "a", .title = "salt", .content = "salt and salt"},
             {.id = "b", .content = "salt in a much longer text about something else that never ends"},
             {.id = "c", .content = "salt"}}))
    return;
  const QueryResult result = run_query(fixture.port(), {.q = "salt"});
  report.equal(result.relevances.size(), std::size_t{3}, "each match is a hit");
  if (result.relevances.empty()) return;
  report.equal(result.relevances.front(), 1.0, "the best match has relevance 1");
  report.expect(std::is_sorted(result.relevances.rbegin(), result.relevances.rend()), "relevance never rises");
  report.expect(result.relevances.back() > 0, "relevance is above 0");
  report.expect(run_query(fixture.port(), {.q = "salt", .offset = 1}).relevances.front() < 1.0,
                "relevance is measured by the best of the whole result, not of the page");
}

void weighs_fields(SearchIndexFixture& fixture, Report& report) {
  if (!fill(fixture, report,
            {{.id = "content", .title = "one two", .content = "amber five", .tags = {"three four"}},
             {.id = "none", .title = "one two", .content = "six five", .tags = {"three four"}},
             {.id = "tag", .title = "one two", .content = "six five", .tags = {"amber four"}},
             {.id = "title", .title = "amber two", .content = "six five", .tags = {"three four"}}}))
    return;
  report.equal(run_query(fixture.port(), {.q = "amber"}).ids, "title|tag|content", "title before tags before content");
}

void puts_exact_titles_first(SearchIndexFixture& fixture, Report& report) {
  const std::string many = "amber clock amber clock amber clock";
  if (!fill(fixture, report,
            {{.id = "alias", .title = "Other", .content = "x", .views = 9, .aliases = {"amber  CLOCK"}},
             {.id = "longer", .title = "Amber clock two", .content = many, .tags = {"amber clock"}},
             {.id = "other", .content = many},
             {.id = "seen", .title = "Amber Clock", .content = "x", .category = "c", .views = 7},
             {.id = "unseen", .title = "Amber clock", .content = many, .category = "c", .views = 1}}))
    return;
  const auto ids = [&](std::uint64_t offset, std::uint64_t limit, model::Sort sort = model::Sort::Relevance) {
    return run_query(fixture.port(), {.q = "amber clock", .sort = sort, .offset = offset, .limit = limit}).ids;
  };
  const QueryResult result = run_query(fixture.port(), {.q = "amber clock"});
  report.equal(result.result.total, std::uint64_t{5}, "each match counts once");
  report.expect(result.ids.starts_with("alias|seen|unseen|"), "a title or alias is first, by views: " + result.ids);
  report.expect(std::is_sorted(result.relevances.rbegin(), result.relevances.rend()), "relevance never rises");
  report.equal(ids(0, 2), "alias|seen", "the first page");
  report.equal(ids(1, 3), result.ids.substr(6, result.ids.rfind('|') - 6), "a page with titles and others");
  report.equal(ids(4, 9), result.ids.substr(result.ids.rfind('|') + 1), "the last page");
  report.equal(run_query(fixture.port(), {.q = "amber clock", .filter = {.category = "c"}}).ids, "seen|unseen",
               "with a filter");
  report.expect(ids(0, 9, model::Sort::Date) == "alias|longer|other|seen|unseen", "other orders are as they are");
}

void raises_titles_with_all_words(SearchIndexFixture& fixture, Report& report) {
  if (!fill(fixture, report,
            {{.id = "a-content", .title = "One two three", .content = "amber clock"},
             {.id = "b-half", .title = "Amber two three", .content = "clock four"},
             {.id = "c-title", .title = "Amber two clock", .content = "four five"}}))
    return;
  report.equal(run_query(fixture.port(), {.q = "amber clock"}).ids, "c-title|b-half|a-content",
               "the more of the words the title has, the higher");
}

void breaks_ties(SearchIndexFixture& fixture, Report& report) {
  if (!fill(fixture, report,
            {{.id = "d", .content = "iron", .updated = 100, .views = 5},
             {.id = "b", .content = "iron", .updated = 300, .views = 5},
             {.id = "c", .content = "iron", .updated = 300, .views = 9},
             {.id = "a", .content = "iron", .updated = 100, .views = 7}}))
    return;
  report.equal(run_query(fixture.port(), {.q = "iron"}).ids, "b|c|a|d", "equal scores: newest first, then by id");
  report.equal(run_query(fixture.port(), {.q = "iron", .sort = model::Sort::Date}).ids, "b|c|a|d",
               "newest first, then by id");
  report.equal(run_query(fixture.port(), {.q = "iron", .sort = model::Sort::Popularity}).ids, "c|a|b|d",
               "most views first, then by id");
}

void matches_everything_without_a_query(SearchIndexFixture& fixture, Report& report) {
  if (!fill(fixture, report,
            {{.id = "a", .content = "one", .category = "x", .updated = 1, .views = 3},
             {.id = "b", .category = "y", .updated = 2, .views = 1},
             {.id = "c", .content = "three", .category = "x", .updated = 2, .views = 2}}))
    return;
  const QueryResult result = run_query(fixture.port(), {});
  report.equal(result.ids, "b|c|a", "every item, newest first, then by id");
  report.equal(result.result.total, std::uint64_t{3}, "and counts them");
  report.expect(result.relevances == std::vector<double>{1, 1, 1}, "with relevance 1");
  report.equal(run_query(fixture.port(), {.sort = model::Sort::Popularity}).ids, "a|c|b", "or by views");
  report.equal(run_query(fixture.port(), {.filter = {.category = "x"}}).ids, "c|a", "or of one category");
  const QueryResult page = run_query(fixture.port(), {.sort = model::Sort::Date, .offset = 1, .limit = 1});
  report.equal(page.ids, "c", "or a page of them");
  report.equal(page.result.total, std::uint64_t{3}, "with the whole total");
}

void adds_counted_views(SearchIndexFixture& fixture, Report& report) {
  if (fixture.port().capabilities().popularity_lag) return report.skip("counted views may be late");
  if (!fill(fixture, report,
            {{.id = "a", .content = "zinc", .views = 10},
             {.id = "b", .content = "zinc", .views = 8},
             {.id = "c", .content = "zinc", .views = 6}}))
    return;
  ports::Call call;
  const ports::ItemViews first[] = {{"c", 3}, {"b", 1}, {"unknown", 99}};
  report.ok(fixture.port().set_views(call, first, 4), "counted views are taken");
  const QueryResult result = run_query(fixture.port(), {.q = "zinc", .sort = model::Sort::Popularity});
  report.equal(result.ids, "a|b|c", "views are imported plus counted, equal ones by id");
  report.equal(result.result.views_revision, model::ViewsRevision{4}, "the answer says which views it counted");
  const ports::ItemViews second[] = {{"c", 5}};
  report.ok(fixture.port().set_views(call, second, 5), "counted views are taken again");
  report.equal(run_query(fixture.port(), {.q = "zinc", .sort = model::Sort::Popularity}).ids, "c|a|b",
               "totals replace those of the named items and no others");
  report.equal(run_query(fixture.port(), {.sort = model::Sort::Popularity}).ids, "c|a|b", "without a query too");
  const auto state = fixture.port().state(call);
  report.expect(state && state->views_revision == 5, "the state says which views it has");
}

void joins_pages(SearchIndexFixture& fixture, Report& report) {
  std::vector<SampleItem> samples = make_samples("p", 97, "moss");
  for (std::size_t i = 0; i < samples.size(); ++i) {
    samples[i].updated = static_cast<int>(i % 7);
    samples[i].views = i % 5;
    for (std::size_t k = 0; k < i % 3; ++k) samples[i].content += " moss stone";
  }
  if (!fill(fixture, report, samples)) return;
  for (const model::Sort sort : {model::Sort::Relevance, model::Sort::Date, model::Sort::Popularity}) {
    const std::string whole = run_query(fixture.port(), {.q = "moss", .sort = sort}).ids;
    std::string joined;
    for (std::uint64_t offset = 0; offset < 97; offset += 10) {
      const QueryResult page = run_query(fixture.port(), {.q = "moss", .sort = sort, .offset = offset, .limit = 10});
      report.equal(page.result.total, std::uint64_t{97}, "each page has the whole total");
      joined += (joined.empty() ? "" : "|") + page.ids;
    }
    report.equal(joined, whole, "pages join without overlap or hole");
  }
}

void bounds_pages(SearchIndexFixture& fixture, Report& report) {
  if (!fill(fixture, report, make_samples("q", 12, "fern"))) return;
  const QueryResult none = run_query(fixture.port(), {.q = "fern", .limit = 0});
  report.equal(none.ids, "", "limit 0 shows nothing");
  report.equal(none.result.total, std::uint64_t{12}, "but counts");
  for (const std::uint64_t offset : {std::uint64_t{12}, std::uint64_t{100'000}, std::uint64_t{1} << 53}) {
    const QueryResult beyond = run_query(fixture.port(), {.q = "fern", .offset = offset, .limit = 10});
    report.equal(beyond.ids, "", "past the end a page is empty");
    report.equal(beyond.result.total, std::uint64_t{12}, "with the same total");
  }
  ports::Call call;
  ports::SearchRequest request;
  request.limit = 10;
  int seen = 0;
  const auto answer = fixture.port().search(
      call, request, [&seen](const ports::SearchHit&) { return ++seen == 3 ? Visit::Stop : Visit::Continue; });
  report.ok(answer, "a visitor may stop");
  report.equal(seen, 3, "and then sees no more");
}

void makes_excerpts(SearchIndexFixture& fixture, Report& report) {
  std::string early, late;
  for (int i = 0; i < 80; ++i) early += "so weiter \u00FCber alles \u2014 ";
  late = early + "here is the quartz we seek \n\t in   the rock. " + early;
  if (!fill(fixture, report,
            {{.id = "late", .title = "t", .content = late},
             {.id = "short", .title = "Short", .content = "plain  quartz\ntext"},
             {.id = "title", .title = "quartz", .content = early}}))
    return;
  const QueryResult result = run_query(fixture.port(), any_word({.q = "quartz rock"}));
  report.equal(result.excerpts.size(), std::size_t{3}, "each hit has an excerpt");
  for (const std::string& excerpt : result.excerpts) {
    report.expect(utf8::is_valid(excerpt), "an excerpt is valid UTF-8", excerpt);
    report.expect(utf8::code_points(excerpt) <= model::kExcerptCodePoints, "of at most 240 characters", excerpt);
    report.expect(!utf8::has_control(excerpt), "in one line", excerpt);
  }
  for (std::size_t i = 0; i < result.titles.size() && i < result.excerpts.size(); ++i) {
    const std::string& excerpt = result.excerpts[i];
    if (result.titles[i] == "t") {
      report.expect(excerpt.find("quartz we seek in the rock") != std::string::npos, "around the query's words",
                    excerpt);
      report.expect(excerpt.starts_with("\u2026") && excerpt.ends_with("\u2026"), "with the cuts shown", excerpt);
    }
    if (result.titles[i] == "Short") report.equal(excerpt, "plain quartz text", "a short content is shown whole");
    if (result.titles[i] == "quartz")
      report.equal(excerpt, model::excerpt_of(early), "without a match in the content it is the lead");
  }
}

constexpr ports::FacetSelection kBoth = {.categories = true, .tags = true};

model::Day day(int number) { return model::Day(std::chrono::days(number)); }

/// Returns four items with "gate" and one without, on three days, in three categories. Some tags are unusual.
std::vector<SampleItem> gates() {
  return {{.id = "a", .title = "Gate", .tags = {"", "wood", "red paint"}, .category = "x", .updated = 100},
          {.id = "b", .content = "a gate of iron", .tags = {"iron", "wo\x1Fod", ""}, .category = "y", .updated = 200},
          {.id = "c", .content = "gate", .tags = {"wood", "iron", "wood"}, .category = "x", .updated = 300},
          {.id = "d", .content = "gate", .category = "x", .updated = 300},
          {.id = "e", .content = "fence", .tags = {"wood"}, .category = "z", .updated = 300}};
}

std::string result(const std::vector<ports::FacetValue>& values) {
  std::string text;
  for (const ports::FacetValue& each : values) text += each.value + "=" + std::to_string(each.items) + ";";
  return text;
}

std::string kept(SearchIndexFixture& fixture, const ports::SearchFilter& filter) {
  const QueryResult result = run_query(fixture.port(), {.q = "gate", .filter = filter, .sort = model::Sort::Date});
  return result.ids + " of " + std::to_string(result.result.total);
}

bool is_ready(SearchIndexFixture& fixture, Report& report, bool ports::SearchIndex::Capabilities::*has) {
  if (fixture.port().capabilities().*has) return fill(fixture, report, gates());
  report.skip("its capabilities do not include it");
  return false;
}

void filters_by_tag(SearchIndexFixture& fixture, Report& report) {
  if (!is_ready(fixture, report, &ports::SearchIndex::Capabilities::filters)) return;
  report.equal(kept(fixture, {.tag = "wood"}), "c|a of 2", "a tag keeps the items that have it");
  report.equal(kept(fixture, {.tag = "red paint"}), "a of 1", "a tag is one, however many words it has");
  report.equal(kept(fixture, {.tag = "red"}), " of 0", "and not a word of it");
  report.equal(kept(fixture, {.tag = "Wood"}), " of 0", "byte for byte");
  report.equal(kept(fixture, {.tag = "wo\x1Fod"}), "b of 1", "whatever its bytes are");
  report.equal(kept(fixture, {.tag = "wo"}), " of 0", "none of which parts it");
  report.equal(kept(fixture, {.category = "x", .tag = "iron"}), "c of 1", "with a category both have to hold");
}

void filters_by_day(SearchIndexFixture& fixture, Report& report) {
  if (!is_ready(fixture, report, &ports::SearchIndex::Capabilities::filters)) return;
  report.equal(kept(fixture, {.updated_from = day(200)}), "c|d|b of 3", "from a day on, that day too");
  report.equal(kept(fixture, {.updated_to = day(200)}), "b|a of 2", "up to a day, that day too");
  report.equal(kept(fixture, {.updated_from = day(101), .updated_to = day(299)}), "b of 1", "or between two");
  report.equal(kept(fixture, {.updated_from = day(301)}), " of 0", "none where none is");
  report.equal(kept(fixture, {.tag = "wood", .updated_from = day(200)}), "c of 1", "with a tag both have to hold");
}

/// Gates in several languages and versions.
std::vector<SampleItem> described_gates() {
  return {{.id = "a", .content = "gate", .tags = {"wood"}, .category = "x", .updated = 600, .language = "en"},
          {.id = "b", .content = "gate", .tags = {"iron"}, .category = "y", .updated = 500, .language = "en-US"},
          {.id = "c", .content = "gate", .tags = {"clay"}, .category = "z", .updated = 400, .version = "v1.2"},
          {.id = "d", .content = "gate", .category = "x", .updated = 300, .language = "eng"},
          {.id = "e", .content = "gate", .updated = 200, .language = "zh-Hant-TW", .version = "v1.20"}};
}

void selects_items(SearchIndexFixture& fixture, Report& report) {
  if (!fixture.port().capabilities().selections) return report.skip("its capabilities do not include it");
  if (!fill(fixture, report, described_gates())) return;
  constexpr std::array<std::string_view, 2> kCategories = {"none", "y"}, kTags = {"iron", "none"};
  report.equal(kept(fixture, {.category = "x", .further_categories = kCategories}), "a|b|d of 3",
               "of several categories, an item has one");
  report.equal(kept(fixture, {.tag = "wood", .further_tags = kTags}), "a|b of 2", "of several tags too");
  report.equal(
      kept(fixture, {.category = "x", .tag = "iron", .further_categories = kCategories, .further_tags = kTags}),
      "b of 1", "categories and tags both have to hold");
  report.equal(kept(fixture, {.language = "en"}), "a|b of 2", "a language keeps its forms, and no other language");
  report.equal(kept(fixture, {.language = "EN-us"}), "b of 1", "in any case");
  report.equal(kept(fixture, {.language = "zh-hant"}), "e of 1", "a form keeps its own forms");
  report.equal(kept(fixture, {.language = "zh-h"}), " of 0", "a part of a subtag is no language");
  report.equal(kept(fixture, {.version = "v1.2"}), "c of 1", "a version is whole");
  report.equal(kept(fixture, {.version = "V1.2"}), " of 0", "byte for byte");
  report.equal(kept(fixture, {.language = "zh", .version = "v1.20"}), "e of 1", "both have to hold");
}

void pages_the_filtered_items(SearchIndexFixture& fixture, Report& report) {
  if (!is_ready(fixture, report, &ports::SearchIndex::Capabilities::filters)) return;
  for (const model::Sort sort : {model::Sort::Relevance, model::Sort::Date, model::Sort::Popularity}) {
    const QueryResult result =
        run_query(fixture.port(), {.q = "gate", .filter = {.updated_from = day(200)}, .sort = sort, .limit = 2});
    report.equal(result.result.total, std::uint64_t{3}, "the total is of what the filter left");
    report.equal(result.titles.size(), std::size_t{2}, "and so is a page");
  }
  const QueryResult every = run_query(fixture.port(), {.filter = {.tag = "wood"}, .sort = model::Sort::Date});
  report.equal(every.ids, "c|e|a", "without a query too");
}

void counts_facets(SearchIndexFixture& fixture, Report& report) {
  if (!is_ready(fixture, report, &ports::SearchIndex::Capabilities::facets)) return;
  const QueryResult result_all = run_query(fixture.port(), {.q = "gate", .limit = 1, .facets = kBoth});
  report.equal(result(result_all.result.facets.categories), "x=3;y=1;", "categories of all matches, not of the page");
  report.equal(result(result_all.result.facets.tags), "iron=2;wood=2;red paint=1;wo\x1Fod=1;",
               "tags but empty ones, each item once; most items first, then by their bytes");
  const QueryResult filtered =
      run_query(fixture.port(), {.q = "gate", .filter = {.category = "y"}, .limit = 0, .facets = kBoth});
  report.equal(result(filtered.result.facets.categories), "y=1;", "of what the filter left");
  const QueryResult one = run_query(fixture.port(), {.q = "gate", .facets = {.tags = true}});
  report.equal(result(one.result.facets.categories), "", "and only those that are wanted");
  report.equal(result(run_query(fixture.port(), {.facets = kBoth}).result.facets.categories), "x=3;y=1;z=1;",
               "of everything without a query");
}

void counts_languages_and_versions(SearchIndexFixture& fixture, Report& report) {
  const auto capabilities = fixture.port().capabilities();
  if (!capabilities.facets || !capabilities.selections) return report.skip("its capabilities do not include it");
  if (!fill(fixture, report, described_gates())) return;
  constexpr ports::FacetSelection kDescriptions = {.languages = true, .versions = true};
  const ports::Facets all = run_query(fixture.port(), {.q = "gate", .limit = 1, .facets = kDescriptions}).result.facets;
  report.equal(result(all.languages), "en=2;en-us=1;eng=1;zh=1;zh-hant=1;zh-hant-tw=1;",
               "each language in lower case, with the items that a filter by it keeps");
  report.equal(result(all.versions), "v1.2=1;v1.20=1;", "and each version");
  report.equal(result(all.tags), "", "only those that are wanted");
  const QueryResult kept =
      run_query(fixture.port(), {.q = "gate", .filter = {.language = "en"}, .facets = kDescriptions});
  report.equal(result(kept.result.facets.languages), "en=2;en-us=1;", "of what the filter left");
  report.equal(result(kept.result.facets.versions), "", "an item without a version has no value");
}

void counts_facets_by_the_rule(SearchIndexFixture& fixture, Report& report) {
  if (!is_ready(fixture, report, &ports::SearchIndex::Capabilities::facets)) return;
  const QueryResult result_any = run_query(fixture.port(), {.q = "iron fence", .facets = kBoth});
  report.expect(result_any.result.rule == model::MatchRule::AnyWord, "the any-word rule applies");
  report.equal(result(result_any.result.facets.categories), "x=1;y=1;z=1;", "each match counts once");
}

void counts_only_the_most_frequent(SearchIndexFixture& fixture, Report& report) {
  if (!fixture.port().capabilities().facets) return report.skip("its capabilities do not include it");
  std::vector<std::string> tags;
  for (int i = 100; i < 250; ++i) tags.push_back("t" + std::to_string(i));
  std::vector<SampleItem> samples = make_samples("leaf", 3, "many");
  samples[0].tags.assign(tags.begin(), tags.end());
  samples[1].tags = {tags[149]};
  if (!fill(fixture, report, samples)) return;
  const auto values = run_query(fixture.port(), {.q = "many", .facets = kBoth}).result.facets.tags;
  report.equal(values.size(), ports::kMaxFacetValues, "no more values than there may be");
  if (values.empty()) return;
  report.equal(values.front().value, "t249", "those of most items first");
  report.equal(values.back().value, "t198", "then by their bytes");
}

void highlights_what_matched(SearchIndexFixture& fixture, Report& report) {
  if (!is_ready(fixture, report, &ports::SearchIndex::Capabilities::highlights)) return;
  const QueryResult result =
      run_query(fixture.port(), all_words({.q = "iron gate", .sort = model::Sort::Date, .highlights = true}));
  report.equal(result.ids, "c|b", "the items that have both words");
  if (result.marked_excerpts.size() != 2) return;
  report.equal(result.marked_excerpts[1], "a [gate] of [iron]", "words of the query are marked in the excerpt");
  const QueryResult title = run_query(fixture.port(), {.q = "GATE paint", .highlights = true});
  report.equal(title.marked_titles.empty() ? "" : title.marked_titles[0], "[Gate]", "and in the title, in any case");
  const QueryResult plain = run_query(fixture.port(), {.q = "gate"});
  report.equal(plain.marked_excerpts.empty() ? "" : plain.marked_excerpts.back(), plain.excerpts.back(),
               "none where none are wanted");
}

}  // namespace

Suite<SearchIndexFixture> search_index_orders() {
  return {{"ReportsRelevanceAsAFractionOfTheBest", "kb_hit.relevance", gives_relevance_as_a_fraction},
          {"RanksTitleAboveTagsAboveContent", "search", weighs_fields},
          {"PutsExactTitlesFirst", "KB_SORT_RELEVANCE", puts_exact_titles_first},
          {"RaisesTitlesWithAllWords", "search", raises_titles_with_all_words},
          {"BreaksTiesByDateThenId", "KB_SORT_RELEVANCE", breaks_ties},
          {"MatchesEverythingWithoutAQuery", "kb_search_request.query", matches_everything_without_a_query},
          {"AddsCountedViewsToImportedOnes", "KB_SORT_POPULARITY", adds_counted_views},
          {"PagesHaveNoOverlapAndNoGap", "search", joins_pages},
          {"RespectsLimitOffsetAndStop", "kb_search_request.limit", bounds_pages},
          {"MakesExcerptsAroundTheMatch", "kb_hit.excerpt", makes_excerpts}};
}

Suite<SearchIndexFixture> search_index_filters() {
  return {
      {"FiltersByTag", "kb_search_request.tag", filters_by_tag},
      {"FiltersByDay", "kb_search_request.updated_from", filters_by_day},
      {"SelectsItems", "KB_SEARCH_INDEX_CAN_SELECT", selects_items},
      {"PagesTheFilteredItems", "KB_SEARCH_INDEX_CAN_FILTER", pages_the_filtered_items},
      {"CountsFacets", "kb_facet_sink", counts_facets},
      {"CountsLanguagesAndVersions", "KB_SEARCH_INDEX_CAN_SELECT", counts_languages_and_versions},
      {"CountsFacetsByTheAppliedRule", "kb_facet_sink", counts_facets_by_the_rule},
      {"CountsOnlyTheMostFrequentValues", "kb_facet_sink", counts_only_the_most_frequent},
      {"HighlightsMatches", "kb_hit.excerpt_marks", highlights_what_matched},
  };
}

}  // namespace kbase::conformance
