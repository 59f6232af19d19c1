// SPDX-License-Identifier: Apache-2.0
#include "plugins/conformance/search_index_checks.hpp"

// Checks of when a search matches any word instead of all words, and of the effect of the category filter on that.
namespace kbase::conformance {
namespace {

/// Returns `both` items with both words and 30 items with only the first word.
std::vector<SampleItem> shelf(std::size_t both) {
  std::vector<SampleItem> samples = make_samples("both", both, "oak leaf");
  const std::vector<SampleItem> more = make_samples("oak", 30, "oak");
  samples.insert(samples.end(), more.begin(), more.end());
  return samples;
}

void check_threshold(SearchIndexFixture& fixture, Report& report, std::size_t both, model::MatchRule rule) {
  if (!fill(fixture, report, shelf(both))) return;
  const QueryResult result = run_query(fixture.port(), {.q = "oak leaf"});
  report.equal(result.result.total, rule == model::MatchRule::AllWords ? both : both + 30,
               "with fewer than 10 items that have all words, any word is enough");
  report.expect(result.result.rule == rule, "the answer names the rule that decided");
}

void below_the_threshold(SearchIndexFixture& fixture, Report& report) {
  check_threshold(fixture, report, 9, model::MatchRule::AnyWord);
}

void at_the_threshold(SearchIndexFixture& fixture, Report& report) {
  check_threshold(fixture, report, 10, model::MatchRule::AllWords);
}

void above_the_threshold(SearchIndexFixture& fixture, Report& report) {
  check_threshold(fixture, report, 11, model::MatchRule::AllWords);
}

void takes_overrides(SearchIndexFixture& fixture, Report& report) {
  if (!fill(fixture, report, shelf(5))) return;
  const QueryResult all = run_query(fixture.port(), {.q = "oak leaf", .fallback_below = model::kAlwaysAllWords});
  report.equal(all.result.total, std::uint64_t{5}, "never any word where the request says so");
  const QueryResult any = run_query(fixture.port(), {.q = "oak leaf", .fallback_below = model::kAlwaysAnyWord});
  report.equal(any.result.total, std::uint64_t{35}, "always any word where the request says so");
  report.expect(any.result.rule == model::MatchRule::AnyWord, "and the answer says which");
}

void names_all_words_where_both_agree(SearchIndexFixture& fixture, Report& report) {
  if (!fill(fixture, report, make_samples("x", 4, "elm root"))) return;
  for (const std::string_view q : {"elm root", "elm", "\"elm root\"", "elm OR yew"}) {
    const QueryResult result = run_query(fixture.port(), {.q = q});
    report.equal(result.result.total, std::uint64_t{4}, "every item matches");
    report.expect(result.result.rule == model::MatchRule::AllWords, "AllWords where both rules match the same", q);
  }
}

void counts_an_or_as_one_word(SearchIndexFixture& fixture, Report& report) {
  std::vector<SampleItem> samples = make_samples("fig", 6, "fig tree");
  for (const SampleItem& leaf : make_samples("plum", 6, "plum tree")) samples.push_back(leaf);
  for (const SampleItem& leaf : make_samples("tree", 6, "tree")) samples.push_back(leaf);
  if (!fill(fixture, report, samples)) return;
  const QueryResult result = run_query(fixture.port(), {.q = "fig OR plum tree"});
  report.equal(result.result.total, std::uint64_t{12}, "words joined by OR count as one");
  report.expect(result.result.rule == model::MatchRule::AllWords, "so that twelve items have all words");
}

void decides_before_the_filter(SearchIndexFixture& fixture, Report& report) {
  std::vector<SampleItem> samples = shelf(12);
  samples[0].category = "small";
  samples[20].category = "small";
  if (!fill(fixture, report, samples)) return;
  const QueryResult result = run_query(fixture.port(), {.q = "oak leaf", .filter = {.category = "small"}});
  report.equal(result.ids, "both00", "the rule is decided on the whole knowledge base, then the category filters");
  report.equal(result.result.total, std::uint64_t{1}, "the total counts what the filter left");
  report.expect(!result.relevances.empty() && result.relevances[0] == 1.0, "the best of what is left has relevance 1");
  report.equal(run_query(fixture.port(), {.q = "oak leaf", .filter = {.category = "unknown"}}).ids, "",
               "an unknown category is empty");
}

void decides_whatever_the_sort(SearchIndexFixture& fixture, Report& report) {
  if (!fill(fixture, report, shelf(9))) return;
  for (const model::Sort sort : {model::Sort::Relevance, model::Sort::Date, model::Sort::Popularity})
    report.equal(run_query(fixture.port(), {.q = "oak leaf", .sort = sort}).result.total, std::uint64_t{39},
                 "the sort changes no total");
}

}  // namespace

Suite<SearchIndexFixture> search_index_rules() {
  return {{"TakesAnyWordWhereNineItemsHaveAll", below_the_threshold},
          {"WantsAllWordsWhereTenItemsHaveThem", at_the_threshold},
          {"WantsAllWordsWhereElevenItemsHaveThem", above_the_threshold},
          {"TakesTheOverridesOfTheRule", takes_overrides},
          {"NamesAllWordsWhereBothRulesMatchTheSame", names_all_words_where_both_agree},
          {"CountsWordsJoinedByOrAsOne", counts_an_or_as_one_word},
          {"DecidesTheRuleBeforeTheCategoryFilter", decides_before_the_filter},
          {"DecidesTheRuleWhateverTheSort", decides_whatever_the_sort}};
}

}  // namespace kbase::conformance
