// SPDX-License-Identifier: Apache-2.0
#include "plugins/conformance/search_index_checks.hpp"

// Checks of what words, phrases, prefixes and exclusions match.
// Checks of when a search matches any word instead of all words, and of the effect of the category filter on that.
namespace kbase::conformance {
namespace {

void finds_words_in_every_field(SearchIndexFixture& fixture, Report& report) {
  if (!fill(fixture, report,
            {{.id = "content", .content = "The lantern is lit."},
             {.id = "other", .title = "Candle"},
             {.id = "tag", .tags = {"harbour", "lantern"}},
             {.id = "title", .title = "Lantern"}}))
    return;
  report.equal(search_ids(fixture.port(), "lantern"), "content|tag|title", "title, tags and content are searched");
  report.equal(search_ids(fixture.port(), "absent"), "", "a word that no item has matches none");
}

void ignores_case_and_accents(SearchIndexFixture& fixture, Report& report) {
  if (!fill(fixture, report,
            {{.id = "accented", .content = "Caf\u00E9 na\u00EFve \u0141\u00F3d\u017A"},
             {.id = "decomposed", .content = "CAFE\u0301 NAI\u0308VE LO\u0301DZ\u0301"},
             {.id = "plain", .content = "cafe naive lodz"}}))
    return;
  for (const std::string_view q : {"cafe", "CAF\u00C9", "Caf\u00E9", "nai\u0308ve", "lodz", "\u0141\u00D3D\u0179"})
    report.equal(search_ids(fixture.port(), q), "accented|decomposed|plain", "case and accents make no difference");
}

void keeps_phrases_together(SearchIndexFixture& fixture, Report& report) {
  if (!fill(fixture, report,
            {{.id = "apart", .content = "red or big barn"},
             {.id = "fields", .title = "the red", .content = "barn there", .tags = {"red"}},
             {.id = "reversed", .content = "barn red"},
             {.id = "tag", .tags = {"a red barn", "x"}},
             {.id = "tags", .tags = {"bright red", "barn boat"}},
             {.id = "together", .content = "a big red barn"}}))
    return;
  report.equal(search_ids(fixture.port(), "\"red barn\""), "tag|together",
               "a phrase is its words side by side, within one field and one tag");
  report.equal(search_ids(fixture.port(), "\"red barn\" boat", any_word), "",
               "a phrase holds also the any-word rule applies");
  report.equal(search_ids(fixture.port(), "\"RED, barn!\""), "tag|together", "punctuation does not divide a phrase");
}

void excludes(SearchIndexFixture& fixture, Report& report) {
  if (!fill(fixture, report,
            {{.id = "both", .content = "apple pear tree"},
             {.id = "one", .content = "apple"},
             {.id = "split", .content = "apple tree with a pear"}}))
    return;
  report.equal(search_ids(fixture.port(), "apple -pear"), "one", "an excluded word must not occur");
  report.equal(search_ids(fixture.port(), "apple -\"pear tree\""), "one|split", "an excluded phrase must not occur");
  report.equal(search_ids(fixture.port(), "apple plum -pear", any_word), "one",
               "an exclusion holds also the any-word rule applies");
  report.equal(search_ids(fixture.port(), "-pear -plum"), "", "exclusions alone match nothing");
  report.equal(search_ids(fixture.port(), "apple -..."), "both|one|split", "an exclusion without a word is left out");
}

void matches_either_side_of_an_or(SearchIndexFixture& fixture, Report& report) {
  if (!fill(fixture, report,
            {{.id = "a", .content = "ash wood"},
             {.id = "b", .content = "birch wood"},
             {.id = "c", .content = "cedar wood"},
             {.id = "d", .content = "ash birch"}}))
    return;
  report.equal(search_ids(fixture.port(), "ash OR birch"), "a|b|d", "one side of OR is enough");
  report.equal(search_ids(fixture.port(), "ash OR birch wood"), "a|b", "OR binds closer than being side by side");
  report.equal(search_ids(fixture.port(), "\"cedar wood\" OR \"ash birch\""), "c|d", "phrases may be joined by OR");
}

void finds_prefixes(SearchIndexFixture& fixture, Report& report) {
  if (!fill(
          fixture, report,
          {{.id = "a", .content = "telegraph"}, {.id = "b", .title = "Telephone"}, {.id = "c", .content = "telling"}}))
    return;
  report.equal(search_ids(fixture.port(), "tele*"), "a|b", "a prefix matches each word that starts with it");
  report.equal(search_ids(fixture.port(), "TELEG*"), "a", "case makes no difference to prefixes");
  report.equal(search_ids(fixture.port(), "zebra OR tele*"), "a|b", "a prefix may be joined by OR");
  report.equal(search_ids(fixture.port(), "tel* -telegraph"), "b|c", "a prefix and an exclusion hold together");
}

void ignores_nodes_without_words(SearchIndexFixture& fixture, Report& report) {
  if (!fill(fixture, report, {{.id = "a", .content = "alpha"}, {.id = "b", .content = "beta"}})) return;
  report.equal(search_ids(fixture.port(), "alpha !!! ..."), "a", "a node without a word does not count");
  report.equal(search_ids(fixture.port(), "!!! \"--\" *"), "", "a query without a word matches nothing");
  report.equal(run_query(fixture.port(), {.q = "?! ::"}).result.total, std::uint64_t{0}, "and its total is 0");
}

void splits_words_as_items_do(SearchIndexFixture& fixture, Report& report) {
  if (!fill(fixture, report,
            {{.id = "apart", .content = "bar with foo"},
             {.id = "one", .content = "foo alone"},
             {.id = "underscored", .content = "call foo_bar() now"},
             {.id = "spaced", .content = "foo bar"}}))
    return;
  report.equal(search_ids(fixture.port(), "foo_bar"), "apart|spaced|underscored",
               "what is split counts as that many words");
  report.equal(search_ids(fixture.port(), "\"foo_bar\""), "spaced|underscored", "in quotes it is a phrase");
  report.equal(search_ids(fixture.port(), "bar"), "apart|spaced|underscored", "its parts are found");
}

void survives_hostile_text(SearchIndexFixture& fixture, Report& report) {
  if (!fill(fixture, report, {{.id = "a", .title = "alpha", .content = "near and or not"}})) return;
  for (const std::string_view q :
       {"alpha\" OR \"", "alpha) OR (", "title:alpha", "{title content}: alpha", "alpha NEAR(alpha, 2)", "^alpha",
        "alpha AND NOT", "\"alpha", "alpha'; DROP TABLE items; --", "alpha + *", "**alpha**", "alpha ~2 ^3 [a TO z]",
        "%alpha_", "\\alpha\\", "alpha\x01\x02", "(((((((((alpha", "NOT alpha", "-\"alpha", "alpha\xC2\xA0"}) {
    const QueryResult result = run_query(fixture.port(), any_word({.q = q}));
    report.expect(result.ids == "a" || result.ids.empty(), "text is never taken for another language's syntax",
                  std::string(q) + " -> " + result.ids);
  }
  std::string longest;
  for (int i = 0; i < 170; ++i) longest += std::to_string(100 + i % 900).substr(0, 2) + " ";
  report.expect(!run_query(fixture.port(), {.q = longest}).ids.starts_with("error"),
                "the longest queries are answered");
}

void refuses_a_quick_call_before_its_first_hit(SearchIndexFixture& fixture, Report& report) {
  if (!fixture.port().capabilities().inline_quick_search) return report.skip("it does not declare QUICK_SEARCH");
  if (!fill(
          fixture, report,
          {{.id = "a", .title = "alpha", .content = "beta gamma"}, {.id = "b", .title = "beta", .content = "alpine"}}))
    return;
  std::size_t refused = 0;
  for (const std::string_view q : {"alpha", "beta", "beta gamma", "\"beta gamma\"", "al*", "alpah", "-beta alpine"}) {
    const QueryResult usual = run_query(fixture.port(), {.q = q});
    const QueryResult quick = run_query(fixture.port(), {.q = q, .is_quick = true});
    const bool is_refused = quick.ids == "error " + std::string(name_of(ErrorCode::Deadline));
    if (is_refused) ++refused;
    report.expect(is_refused ? quick.titles.empty() : quick.ids == usual.ids,
                  "a quick call has the hits of any other call, or fails with DEADLINE before the first",
                  std::string(q) + " -> " + quick.ids + " instead of " + usual.ids);
  }
  report.expect(refused < 7, "some searches of two items are quick", std::to_string(refused) + " were refused");
}

void compares_inflected_forms(SearchIndexFixture& fixture, Report& report) {
  if (!fixture.port().capabilities().stemming) return report.skip("it does not stem");
  const std::string_view english = "The old harbour was full of people who were ";
  if (!fill(fixture, report,
            {{.id = "connected", .content = std::string(english) + "connected to the sea by a long road."},
             {.id = "connecting", .content = std::string(english) + "connecting the ropes on the long pier."},
             {.id = "other", .content = std::string(english) + "waiting for their dinner on the pier."}}))
    return;
  report.equal(search_ids(fixture.port(), "connects"), "connected|connecting", "inflected forms match each other");
  report.equal(search_ids(fixture.port(), "\"connect the rope\""), "connecting", "in phrases too");
  const QueryResult result = run_query(fixture.port(), {.q = "connected"});
  report.equal(result.ids, "connected|connecting", "the exact form ranks first");
}

void segments_languages_without_spaces(SearchIndexFixture& fixture, Report& report) {
  if (!fixture.port().capabilities().segmentation) return report.skip("it does not segment");
  if (!fill(fixture, report,
            {{.id = "beijing", .content = "\u5317\u4EAC\u5927\u5B66\u5728\u4E2D\u56FD\u3002"},
             {.id = "mixed", .content = "Python\u7F16\u7A0B\u8BED\u8A00"},
             {.id = "tokyo", .content = "\u6771\u4EAC\u3068\u4EAC\u90FD\u3078\u884C\u304F"}}))
    return;
  report.equal(search_ids(fixture.port(), "\u5317\u4EAC"), "beijing", "a word within a Chinese sentence is found");
  report.equal(search_ids(fixture.port(), "\u4EAC\u90FD"), "tokyo", "a word within a Japanese sentence is found");
  report.equal(search_ids(fixture.port(), "python \u7F16\u7A0B"), "mixed", "scripts may meet without a space");
  report.equal(search_ids(fixture.port(), "\"\u5927\u5B66\u5728\u4E2D\""), "beijing",
               "a phrase of several words is found");
}

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
  const QueryResult all = run_query(fixture.port(), all_words({.q = "oak leaf"}));
  report.equal(all.result.total, std::uint64_t{5}, "never any word where the request says so");
  const QueryResult any = run_query(fixture.port(), any_word({.q = "oak leaf"}));
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

void skips_optional_words(SearchIndexFixture& fixture, Report& report) {
  if (!fixture.port().capabilities().optional_words) return report.skip("it does not skip optional words");
  if (!fill(fixture, report,
            {{.id = "all", .content = "how to sail the boat"},
             {.id = "function-words", .content = "how to row the ship"},
             {.id = "no-function-words", .content = "sail or boat: sail boat"},
             {.id = "one", .content = "a sail is a sail"}}))
    return;
  const auto ids = [&](Query query) {
    query.skips_function_words = true;
    query.sort = model::Sort::Date;
    return run_query(fixture.port(), query).ids;
  };
  report.equal(ids(all_words({.q = "how to sail the boat"})), "all|no-function-words", "function words are optional");
  report.equal(ids(all_words({.q = "how to"})), "all|function-words", "alone they are required");
  report.equal(ids(any_word({.q = "how sail"})), "all|function-words|no-function-words|one",
               "under the rule of any word they match too");
  const QueryResult ranked = run_query(fixture.port(), {.q = "how to sail the boat", .skips_function_words = true});
  report.expect(ranked.ids.starts_with("all|"), "they add to the score: " + ranked.ids);
  report.expect(ranked.ids.find("|function-words") > ranked.ids.find("|no-function-words"),
                "less than other words: " + ranked.ids);
}

void finds_synonyms(SearchIndexFixture& fixture, Report& report) {
  if (!fixture.port().capabilities().synonyms) return report.skip("it finds no synonyms");
  if (!fill(fixture, report,
            {{.id = "both", .content = "the laptop, a notebook"},
             {.id = "synonym", .title = "Notebook", .content = "a notebook is a notebook"},
             {.id = "phrase", .content = "a portable computer"},
             {.id = "split", .content = "a computer that is portable"},
             {.id = "word", .content = "among many other things in the office there is one laptop with its bag"}}))
    return;
  Query query{
      .q = "laptop", .sort = model::Sort::Date, .synonyms = {"notebook", "portable computer", "unknownsynonym"}};
  report.equal(run_query(fixture.port(), query).ids, "both|phrase|synonym|word",
               "items with the word, a synonym, or one of several words, match");
  query.sort = model::Sort::Relevance;
  const QueryResult ranked = run_query(fixture.port(), query);
  report.expect(ranked.ids.find("word") < ranked.ids.find("synonym"), "the word itself ranks higher: " + ranked.ids);
  report.expect(ranked.result.corrections.empty(), "a word with a synonym that items have is not corrected");
  query = all_words({.q = "bag laptop", .sort = model::Sort::Date, .synonyms = {"notebook"}});
  report.equal(run_query(fixture.port(), query).ids, "word", "the other words must match, too");
}

void matches_options(SearchIndexFixture& fixture, Report& report) {
  if (!fixture.port().capabilities().options) return report.skip("it does not know options of command lines");
  if (!fill(fixture, report,
            {{.id = "option", .content = "call tar -xzf with the archive"},
             {.id = "word", .content = "a file named xzf and a well-xzf"}}))
    return;
  report.equal(search_ids(fixture.port(), "\"-xzf\""), "option", "a quoted option matches only as one");
  report.equal(search_ids(fixture.port(), "xzf"), "option|word", "its word is found without the minus");
}

}  // namespace

Suite<SearchIndexFixture> search_index_matching() {
  return {{"FindsWordsInTitleTagsAndContent", "search", finds_words_in_every_field},
          {"IgnoresCaseAndAccents", "search", ignores_case_and_accents},
          {"KeepsPhrasesWithinOneFieldAndOneTag", "KB_QUERY_PHRASE", keeps_phrases_together},
          {"ExcludesWordsAndPhrases", "KB_QUERY_NOT", excludes},
          {"MatchesEitherSideOfAnOr", "KB_QUERY_ANY_OF", matches_either_side_of_an_or},
          {"FindsPrefixes", "KB_QUERY_PREFIX", finds_prefixes},
          {"IgnoresNodesWithoutWords", "search", ignores_nodes_without_words},
          {"SplitsTheWordsOfQueriesAsThoseOfItems", "KB_QUERY_WORD", splits_words_as_items_do},
          {"TreatsHostileTextAsText", "kb_query_node", survives_hostile_text},
          {"RefusesAQuickCallBeforeItsFirstHit", "kb_call", refuses_a_quick_call_before_its_first_hit},
          {"ComparesInflectedFormsAndPrefersTheExactOne", "KB_SEARCH_INDEX_CAN_STEM", compares_inflected_forms},
          {"SegmentsLanguagesWithoutSpaces", "KB_SEARCH_INDEX_CAN_SEGMENT", segments_languages_without_spaces}};
}

Suite<SearchIndexFixture> search_index_rules() {
  return {{"MatchesAnyWordIfNineItemsMatchAll", "search", below_the_threshold},
          {"MatchesAllWordsIfTenItemsDo", "search", at_the_threshold},
          {"MatchesAllWordsIfElevenItemsDo", "search", above_the_threshold},
          {"AppliesTheOverridesOfTheRule", "search", takes_overrides},
          {"ReportsAllWordsIfBothRulesMatchTheSame", "kb_search_answer.any_word", names_all_words_where_both_agree},
          {"CountsWordsJoinedByOrAsOne", "KB_QUERY_ANY_OF", counts_an_or_as_one_word},
          {"DecidesTheRuleBeforeTheCategoryFilter", "search", decides_before_the_filter},
          {"DecidesTheRuleForEverySort", "search", decides_whatever_the_sort},
          {"DoesNotRequireOptionalWords", "KB_SEARCH_INDEX_CAN_SKIP", skips_optional_words},
          {"FindsSynonymsBelowTheWord", "KB_SEARCH_INDEX_CAN_EXTEND", finds_synonyms},
          {"MatchesOptionsOfCommandLines", "KB_SEARCH_INDEX_HAS_OPTIONS", matches_options}};
}

}  // namespace kbase::conformance
