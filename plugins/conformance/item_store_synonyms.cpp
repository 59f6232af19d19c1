// SPDX-License-Identifier: Apache-2.0
#include <string>
#include <vector>

#include "plugins/conformance/content_samples.hpp"
#include "plugins/conformance/suites.hpp"

namespace kbase::conformance {
namespace {
using ports::Call;

/// Whether the store keeps synonyms. If not, expects Unsupported and skips the check.
bool keeps_synonyms(ports::ItemStore& store, Report& report) {
  if (store.capabilities().synonyms) return true;
  Call call;
  report.fails(store.synonyms(call, [](const model::SynonymsView&) { return Visit::Continue; }), ErrorCode::Unsupported,
               "a store that declares no synonyms says Unsupported");
  report.skip("the store keeps no synonyms by declaration");
  return false;
}

/// Returns the synonyms as one text: "from>word,word(source)", joined by '|'; "error CODE" if the call failed.
std::string synonyms_of(ports::ItemStore& store) {
  Call call;
  std::string all;
  const auto visited = store.synonyms(call, [&](const model::SynonymsView& each) {
    if (!all.empty()) all += '|';
    all.append(each.from).append(">");
    for (std::size_t i = 0; i < each.words.size(); ++i) all.append(i == 0 ? "" : ",").append(each.words[i]);
    all.append("(").append(each.source).append(")");
    return Visit::Continue;
  });
  return visited ? all : "error " + std::string(name_of(visited.error().code));
}

/// Sets the synonyms in a batch of their own.
bool set(ports::ItemStore& store, Report& report, const std::vector<model::SynonymsView>& synonyms) {
  Call call;
  auto writer = store.begin(call);
  if (!report.ok(writer, "a batch begins")) return false;
  std::vector<const model::SynonymsView*> pointers;
  for (const model::SynonymsView& each : synonyms) pointers.push_back(&each);
  return report.ok((*writer)->set_synonyms(call, pointers), "the batch takes synonyms") &&
         report.ok((*writer)->commit(call), "the batch is committed");
}

const std::string_view kGroup[] = {"k8s", "kubernetes", "kubernetes cluster"};
const std::string_view kNotebook[] = {"Notebook",
                                      "\xC3\x9C"
                                      "bergr\xC3\xB6\xC3\x9F"
                                      "e"};

void keeps_what_was_set(ItemStoreFixture& fixture, Report& report) {
  if (!keeps_synonyms(fixture.port(), report)) return;
  report.equal(synonyms_of(fixture.port()), "", "a new store has none");
  if (!set(fixture.port(), report, {{{}, kGroup, "docs"}, {"laptop", kNotebook, {}}})) return;
  const std::string both =
      ">k8s,kubernetes,kubernetes cluster(docs)|laptop>Notebook,\xC3\x9C"
      "bergr\xC3\xB6\xC3\x9F"
      "e()";
  report.equal(synonyms_of(fixture.port()), both, "they come back in their order");
  if (fixture.port().capabilities().persistent && fixture.reopen())
    report.equal(synonyms_of(fixture.port()), both, "they survive the process");
}

void replaces_all(ItemStoreFixture& fixture, Report& report) {
  if (!keeps_synonyms(fixture.port(), report)) return;
  if (!set(fixture.port(), report, {{{}, kGroup, {}}, {"laptop", kNotebook, {}}})) return;
  if (!set(fixture.port(), report, {{"pc", kNotebook, "b"}})) return;
  report.equal(synonyms_of(fixture.port()),
               "pc>Notebook,\xC3\x9C"
               "bergr\xC3\xB6\xC3\x9F"
               "e(b)",
               "the new ones replace the old ones");
  if (!set(fixture.port(), report, {})) return;
  report.equal(synonyms_of(fixture.port()), "", "an empty list removes them");
}

void become_visible_with_their_batch(ItemStoreFixture& fixture, Report& report) {
  ports::ItemStore& store = fixture.port();
  if (!keeps_synonyms(store, report)) return;
  const model::Revision before = revision_of(store);
  const model::SynonymsView group{{}, kGroup, {}};
  const model::SynonymsView* const pointers[] = {&group};
  Call call;
  {
    auto writer = store.begin(call);
    if (!report.ok(writer, "a batch begins")) return;
    report.ok((*writer)->set_synonyms(call, pointers), "the batch takes synonyms");
    report.equal(synonyms_of(store), "", "readers see none before the commit");
  }
  report.equal(synonyms_of(store), "", "a batch that was aborted leaves none");
  report.equal(revision_of(store), before, "and the revision as it was");
  if (!set(store, report, {group})) return;
  report.equal(revision_of(store), before + 1, "a commit moves the revision, so that servers read them");
  report.equal(feed_text_after(store, before), "", "they are no records of the feed");
}

}  // namespace

Suite<ItemStoreFixture> item_store_synonyms() {
  return {{"KeepsSynonyms", "synonyms", keeps_what_was_set},
          {"ReplacesAllSynonyms", "set_synonyms", replaces_all},
          {"SynonymsBecomeVisibleWithTheirBatch", "set_synonyms", become_visible_with_their_batch}};
}

}  // namespace kbase::conformance
