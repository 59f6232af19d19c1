// SPDX-License-Identifier: Apache-2.0
#include "plugins/conformance/search_index_checks.hpp"

// Checks of typo correction: an index that declares it replaces a word that no item has by the nearest ones
// (docs/guide/matching.md).
namespace kbase::conformance {
namespace {

/// Returns the corrections as "word=replacement", joined by ','.
std::string corrections_of(const QueryResult& result) {
  std::string text;
  for (const ports::Correction& each : result.result.corrections)
    text += (text.empty() ? "" : ",") + each.word + "=" + each.replacement;
  return text;
}

bool corrects(SearchIndexFixture& fixture, Report& report) {
  const bool declared = fixture.port().capabilities().typo_tolerance;
  if (!declared) report.skip("it takes words as they are typed");
  return declared;
}

void check(SearchIndexFixture& fixture, Report& report, std::string_view q, std::string_view ids,
           std::string_view corrections, std::string_view what) {
  const QueryResult result = run_query(fixture.port(), {.q = q, .fallback_below = model::kAlwaysAllWords});
  report.equal(result.ids, std::string(ids), what);
  report.equal(corrections_of(result), std::string(corrections), std::string(what) + ", and the answer says so");
}

void takes_the_nearest_word(SearchIndexFixture& fixture, Report& report) {
  if (!corrects(fixture, report)) return;
  if (!fill(fixture, report, {{.id = "a", .content = "harbour mountain"}, {.id = "b", .content = "slate valley"}}))
    return;
  check(fixture, report, "slaet", "b", "slaet=slate", "swapped neighbours are one mistake");
  check(fixture, report, "salte", "b", "salte=slate", "anywhere in the word");
  check(fixture, report, "vally", "b", "vally=valley", "a letter left out is one");
  check(fixture, report, "valleyy", "b", "valleyy=valley", "a letter too many is one");
  check(fixture, report, "balley", "b", "balley=valley", "another letter is one, the first one too");
  check(fixture, report, "mauntian", "a", "mauntian=mountain", "two mistakes are taken from 8 letters on");
  check(fixture, report, "Mountian HARBOUT", "a", "mountian=mountain,harbout=harbour",
        "each word has its own correction");
}

void leaves_words_alone(SearchIndexFixture& fixture, Report& report) {
  if (!corrects(fixture, report)) return;
  if (!fill(fixture, report,
            {{.id = "a", .content = "ant granite mountain version42"}, {.id = "b", .content = "granito"}}))
    return;
  check(fixture, report, "granite", "a", "", "a word that some item has is right");
  check(fixture, report, "amt", "", "", "a word of three letters is taken as it is");
  check(fixture, report, "grqnitw", "", "", "two mistakes are too many for 7 letters");
  check(fixture, report, "mxxntxin", "", "", "three mistakes are too many for any word");
  check(fixture, report, "version43", "", "", "a word with a digit is taken as it is");
  check(fixture, report, "\"granjte mountain\"", "", "", "what is in quotes is taken as it is");
  check(fixture, report, "granut*", "", "", "so is a prefix");
  check(fixture, report, "granite -mountian", "a", "", "so is an exclusion");
}

void prefers_fewer_mistakes_then_more_items(SearchIndexFixture& fixture, Report& report) {
  if (!corrects(fixture, report)) return;
  std::vector<SampleItem> samples = make_samples("often", 5, "casting");
  samples.push_back({.id = "seldom", .content = "coating"});
  samples.push_back({.id = "near", .content = "mountains"});
  for (const SampleItem& leaf : make_samples("far", 5, "fountain")) samples.push_back(leaf);
  if (!fill(fixture, report, samples)) return;
  const QueryResult often = run_query(fixture.port(), {.q = "caating", .fallback_below = model::kAlwaysAllWords});
  report.equal(corrections_of(often), "caating=casting", "of words as near, the one of more items is meant");
  const QueryResult near = run_query(fixture.port(), {.q = "mountaims", .fallback_below = model::kAlwaysAllWords});
  report.equal(corrections_of(near), "mountaims=mountains", "a nearer word is meant rather than a more common one");
}

void counts_as_the_replacement(SearchIndexFixture& fixture, Report& report) {
  if (!corrects(fixture, report)) return;
  std::vector<SampleItem> samples = make_samples("both", 12, "river delta");
  for (const SampleItem& leaf : make_samples("one", 12, "river")) samples.push_back(leaf);
  if (!fill(fixture, report, samples)) return;
  const QueryResult result = run_query(fixture.port(), {.q = "rixer dleta", .limit = 20});
  report.equal(result.result.total, std::uint64_t{12}, "a corrected word counts as its replacement in the match rule");
  report.expect(result.result.rule == model::MatchRule::AllWords, "which holds for all words here");
  report.equal(corrections_of(result), "rixer=river,dleta=delta", "the answer names each");
  const QueryResult twice = run_query(fixture.port(), {.q = "rixer rixer"});
  report.equal(corrections_of(twice), "rixer=river", "a word that comes twice is named once");
}

}  // namespace

Suite<SearchIndexFixture> search_index_typos() {
  return {{"TakesTheNearestWordForOneThatNoItemHas", takes_the_nearest_word},
          {"LeavesOtherWordsAsTheyAre", leaves_words_alone},
          {"PrefersFewerMistakesThenMoreItems", prefers_fewer_mistakes_then_more_items},
          {"CountsACorrectedWordAsItsReplacement", counts_as_the_replacement}};
}

}  // namespace kbase::conformance
