// SPDX-License-Identifier: Apache-2.0
#include "domain/base/text.hpp"
#include "plugins/conformance/search_index_checks.hpp"

// Checks of typo correction: an index that declares it replaces a word that no item has by the nearest ones
// (docs/guide/matching.md).
// Checks of completions: words with a given prefix.
namespace kbase::conformance {
namespace {

/// Returns the corrections as "word=replacement", joined by ',', in lower case: an index may return the word as typed
/// or as it compares it.
std::string corrections_of(const QueryResult& result) {
  std::string text;
  for (const ports::Correction& each : result.result.corrections)
    text += (text.empty() ? "" : ",") + each.word + "=" + each.replacement;
  return ascii::to_lower(text);
}

bool corrects(SearchIndexFixture& fixture, Report& report) {
  const bool declared = fixture.port().capabilities().typo_tolerance;
  if (!declared) report.skip("it takes words as they are typed");
  return declared;
}

void check(SearchIndexFixture& fixture, Report& report, std::string_view q, std::string_view ids,
           std::string_view corrections, std::string_view what) {
  const QueryResult result = run_query(fixture.port(), all_words({.q = q}));
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
  check(fixture, report, "vulley", "b", "vulley=valley", "another letter is one");
  check(fixture, report, "balley", "", "", "the first letter is taken as it is");
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
  const QueryResult often = run_query(fixture.port(), all_words({.q = "caating"}));
  report.equal(corrections_of(often), "caating=casting", "of words as near, the one of more items is meant");
  const QueryResult near = run_query(fixture.port(), all_words({.q = "mountaims"}));
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

using Build = ports::SearchIndex::Build;

std::string completed(SearchIndexFixture& fixture, std::string_view beginning, std::size_t limit = 100) {
  ports::Call call;
  std::string words;
  const auto done = fixture.port().complete(call, beginning, limit, [&](const ports::WordCompletion& each) {
    words.append(words.empty() ? "" : "|").append(each.word);
    return Visit::Continue;
  });
  return done ? words : "error " + std::string(name_of(done.error().code));
}

void completes_words(SearchIndexFixture& fixture, Report& report) {
  if (!fixture.port().capabilities().completions) {
    report.equal(completed(fixture, "a"), "error Unsupported", "an index that completes nothing says so");
    return;
  }
  if (!fill(fixture, report,
            {{.id = "a", .title = "Harbour", .content = "a harness"},
             {.id = "b", .content = "harbour harm", .tags = {"Hare"}},
             {.id = "c", .content = "harbour harness hat, harmony harmattan"}}))
    return;
  report.equal(completed(fixture, "har"), "harbour|harness|hare|harm|harmattan|harmony",
               "the words of most items first, then by bytes");
  report.equal(completed(fixture, "HAR", 2), "harbour|harness", "in any case, as many as are wanted");
  report.equal(completed(fixture, "Harm"), "harmattan|harmony", "a word goes on");
  report.equal(completed(fixture, "h\u00E1rbour"), "", "and is not offered as it stands");
  report.equal(completed(fixture, "hax"), "", "none where none begins so");
  report.equal(completed(fixture, "harbour har"), "", "none of several words");
  report.equal(completed(fixture, "!"), "", "and none of what is not a word");
}

void completes_words_as_they_are_written(SearchIndexFixture& fixture, Report& report) {
  if (!fixture.port().capabilities().completions) return report.skip("its capabilities do not include it");
  if (!fill(fixture, report, {{.id = "a", .title = "English text", .content = "The organisations of the country"}}))
    return;
  report.equal(completed(fixture, "organ"), "organisations", "no stem that is not a word of an item");
}

void forgets_words_of_removed_items(SearchIndexFixture& fixture, Report& report) {
  if (!fixture.port().capabilities().completions) return report.skip("its capabilities do not include it");
  if (!fill(fixture, report,
            {{.id = "a", .content = "lard lark larva"},
             {.id = "b", .content = "lard lark larva"},
             {.id = "c", .content = "lark larch"},
             {.id = "d", .content = "larch"}}))
    return;
  ports::Call call;
  {
    const auto writer = fixture.port().begin(call, Build::Update, kStoreId);
    if (!report.ok(writer, "an update begins")) return;
    report.ok((*writer)->remove(call, "a"), "an item is removed");
    report.ok(put(**writer, {{.id = "b", .content = "other"}}), "and one is replaced");
    report.ok((*writer)->commit(call, 2), "the batch is committed");
  }
  report.equal(completed(fixture, "lar"), "larch|lark", "words that items have, by how many have them now");
  report.equal(completed(fixture, "lar", 1), "larch", "however many had others");
}

void stops_completing_when_the_visitor_stops(SearchIndexFixture& fixture, Report& report) {
  if (!fixture.port().capabilities().completions) return report.skip("its capabilities do not include it");
  if (!fill(fixture, report, {{.id = "a", .content = "one only once"}})) return;
  ports::Call call;
  int visits = 0;
  const auto done = fixture.port().complete(call, "on", 10, [&](const ports::WordCompletion&) {
    ++visits;
    return Visit::Stop;
  });
  report.ok(done, "a visitor that stops is not a failure");
  report.equal(visits, 1, "and hears of no more");
}

}  // namespace

Suite<SearchIndexFixture> search_index_typos() {
  return {{"CorrectsAWordThatNoItemHas", "KB_SEARCH_INDEX_CAN_CORRECT", takes_the_nearest_word},
          {"DoesNotCorrectOtherWords", "KB_SEARCH_INDEX_CAN_CORRECT", leaves_words_alone},
          {"PrefersFewerMistakesThenMoreItems", "KB_SEARCH_INDEX_CAN_CORRECT", prefers_fewer_mistakes_then_more_items},
          {"CountsACorrectedWordAsItsReplacement", "kb_correction_sink", counts_as_the_replacement}};
}

Suite<SearchIndexFixture> search_index_completions() {
  return {
      {"CompletesWords", "complete", completes_words},
      {"CompletesWordsAsTheyAreWritten", "complete", completes_words_as_they_are_written},
      {"CompletesNoWordsOfRemovedItems", "complete", forgets_words_of_removed_items},
      {"StopsCompletingWhenTheVisitorStops", "complete", stops_completing_when_the_visitor_stops},
  };
}

}  // namespace kbase::conformance
