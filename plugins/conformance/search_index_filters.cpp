// SPDX-License-Identifier: Apache-2.0
#include "plugins/conformance/search_index_checks.hpp"

// Checks of filters by tag and day, facets, and highlights. Each applies only if the index declares the feature.
namespace kbase::conformance {
namespace {

constexpr ports::FacetSelection kBoth = {.categories = true, .tags = true};

model::Day day(int number) {
  return model::Day(std::chrono::days(number));
}

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
  report.skip("it says that it can't");
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

void pages_what_the_filter_left(SearchIndexFixture& fixture, Report& report) {
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
  const QueryResult told_all = run_query(fixture.port(), {.q = "gate", .limit = 1, .facets = kBoth});
  report.equal(result(told_all.result.facets.categories), "x=3;y=1;", "categories of all matches, not of the page");
  report.equal(result(told_all.result.facets.tags), "iron=2;wood=2;red paint=1;wo\x1Fod=1;",
               "tags but empty ones, each item once; most items first, then by their bytes");
  const QueryResult filtered =
      run_query(fixture.port(), {.q = "gate", .filter = {.category = "y"}, .limit = 0, .facets = kBoth});
  report.equal(result(filtered.result.facets.categories), "y=1;", "of what the filter left");
  const QueryResult one = run_query(fixture.port(), {.q = "gate", .facets = {.categories = false, .tags = true}});
  report.equal(result(one.result.facets.categories), "", "and only those that are wanted");
  report.equal(result(run_query(fixture.port(), {.facets = kBoth}).result.facets.categories), "x=3;y=1;z=1;",
               "of everything without a query");
}

void counts_facets_by_the_rule(SearchIndexFixture& fixture, Report& report) {
  if (!is_ready(fixture, report, &ports::SearchIndex::Capabilities::facets)) return;
  const QueryResult told_any = run_query(fixture.port(), {.q = "iron fence", .facets = kBoth});
  report.expect(told_any.result.rule == model::MatchRule::AnyWord, "where any word is enough");
  report.equal(result(told_any.result.facets.categories), "x=1;y=1;z=1;", "each match counts once");
}

void counts_only_the_most_frequent(SearchIndexFixture& fixture, Report& report) {
  if (!fixture.port().capabilities().facets) return report.skip("it says that it can't");
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
  const QueryResult result = run_query(
      fixture.port(),
      {.q = "iron gate", .sort = model::Sort::Date, .fallback_below = model::kAlwaysAllWords, .highlights = true});
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

Suite<SearchIndexFixture> search_index_filters() {
  return {
      {"FiltersByTag", filters_by_tag},
      {"FiltersByDay", filters_by_day},
      {"PagesWhatTheFilterLeft", pages_what_the_filter_left},
      {"CountsFacets", counts_facets},
      {"CountsFacetsByTheRuleThatHolds", counts_facets_by_the_rule},
      {"CountsOnlyTheMostFrequentValues", counts_only_the_most_frequent},
      {"MarksWhatMatched", highlights_what_matched},
  };
}

}  // namespace kbase::conformance
