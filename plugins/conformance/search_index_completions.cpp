// SPDX-License-Identifier: Apache-2.0
#include "plugins/conformance/search_index_checks.hpp"

// Checks of completions: words with a given prefix.
namespace kbase::conformance {
namespace {

using Build = ports::SearchIndex::Build;

std::string completed(SearchIndexFixture& fixture, std::string_view beginning, std::size_t limit = 100) {
  ports::Call call;
  std::string words;
  const auto done = fixture.port().complete(call, beginning, limit, [&](const ports::WordCompletion& each) {
    words.append(words.empty() ? "" : "|").append(each.word);
    return model::Visit::Continue;
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
  report.equal(completed(fixture, "!"), "", "and none of what is no word");
}

void completes_words_that_were_written(SearchIndexFixture& fixture, Report& report) {
  if (!fixture.port().capabilities().completions) return report.skip("it says that it can't");
  if (!fill(fixture, report, {{.id = "a", .title = "English text", .content = "The organisations of the country"}}))
    return;
  report.equal(completed(fixture, "organ"), "organisations", "no stem that nobody wrote");
}

void forgets_words_of_removed_items(SearchIndexFixture& fixture, Report& report) {
  if (!fixture.port().capabilities().completions) return report.skip("it says that it can't");
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

void stops_when_told(SearchIndexFixture& fixture, Report& report) {
  if (!fixture.port().capabilities().completions) return report.skip("it says that it can't");
  if (!fill(fixture, report, {{.id = "a", .content = "one only once"}})) return;
  ports::Call call;
  int visits = 0;
  const auto done = fixture.port().complete(call, "on", 10, [&](const ports::WordCompletion&) {
    ++visits;
    return model::Visit::Stop;
  });
  report.ok(done, "a visitor that wants no more is no failure");
  report.equal(visits, 1, "and hears of no more");
}

}  // namespace

Suite<SearchIndexFixture> search_index_completions() {
  return {
      {"CompletesWords", completes_words},
      {"CompletesWordsThatWereWritten", completes_words_that_were_written},
      {"CompletesNoWordsOfRemovedItems", forgets_words_of_removed_items},
      {"StopsToCompleteWhenTold", stops_when_told},
  };
}

}  // namespace kbase::conformance
