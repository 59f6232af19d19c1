// SPDX-License-Identifier: Apache-2.0
#include "adapters/native_index/native_search_index.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <fstream>
#include <thread>

#include "adapters/native_index/commits/other_formats.hpp"
#include "adapters/native_index/files/files.hpp"
#include "plugins/conformance/fixtures.hpp"
#include "plugins/conformance/search_index_checks.hpp"
#include "tests/support/eventually.hpp"
#include "tests/support/outcome.hpp"
#include "tests/support/second_writer.hpp"
#include "tests/support/temporary_folder.hpp"

namespace kbase::tests {
namespace {

namespace fs = std::filesystem;
using conformance::commit;
using conformance::make_samples;
using conformance::QueryResult;
using conformance::run_query;
using conformance::SampleItem;
using conformance::search_ids;
using native_index::NativeSearchIndex;
using Build = ports::SearchIndex::Build;

class NativeIndex : public testing::Test {
 protected:
  std::unique_ptr<NativeSearchIndex> open(const std::string& language = "auto", bool merges = false) {
    native_index::Options options;
    options.path = path();
    options.other_formats = path().parent_path();
    options.language = language;
    options.merges = merges;
    options.dictionaries = dictionaries_;
    return NativeSearchIndex::open(options, files_, clock_, nullptr).value();
  }

  fs::path path() const { return native_index::format_folder(folder_.path() / "search"); }

  std::vector<fs::path> segments() const {
    std::vector<fs::path> paths;
    for (const auto& entry : fs::directory_iterator(path()))
      if (entry.path().filename().string().starts_with("segment-")) paths.push_back(entry.path());
    return paths;
  }

  static bool is_complete(ports::SearchIndex& index) {
    ports::Call call;
    const auto state = index.state(call);
    return state && state->complete;
  }

  static std::string completed(ports::SearchIndex& index, std::string_view beginning, std::size_t limit) {
    ports::Call call;
    std::string list;
    const auto done = index.complete(call, beginning, limit, [&](const ports::WordCompletion& each) {
      list.append(list.empty() ? "" : " ").append(each.word).append(":").append(std::to_string(each.items));
      return Visit::Continue;
    });
    return done ? list : "error " + std::string(name_of(done.error().code));
  }

  static void merge_all(NativeSearchIndex& index) {
    for (bool more = true; more;) {
      const auto merged = index.merge_now();
      ASSERT_TRUE(merged) << merged.error().detail;
      more = *merged;
    }
  }

  conformance::ManualClock clock_;
  native_index::PosixFiles files_;
  TemporaryFolder folder_;
  fs::path dictionaries_;
};

TEST_F(NativeIndex, RejectsALanguageWithoutStemmer) {
  native_index::Options options;
  options.path = path();
  options.language = "klingon";
  const auto index = NativeSearchIndex::open(options, files_, clock_, nullptr);
  ASSERT_FALSE(index);
  EXPECT_EQ(index.error().parameter, "language");
}

TEST_F(NativeIndex, SearchesWhileOtherSettingsRequireARebuild) {
  ASSERT_TRUE(commit(*open(), Build::Rebuild, {{.id = "a", .content = "alpha"}}));
  const auto other = open("de");
  EXPECT_FALSE(is_complete(*other));
  EXPECT_NE(other->fingerprint(), open()->fingerprint());
  EXPECT_EQ(search_ids(*other, "alpha"), "a");
  ports::Call call;
  const auto update = other->begin(call, Build::Update, conformance::kStoreId);
  ASSERT_FALSE(update);
  EXPECT_EQ(update.error().code, ErrorCode::Unsupported);
  ASSERT_TRUE(commit(*other, Build::Rebuild, {{.id = "b", .content = "alpha"}}));
  EXPECT_TRUE(is_complete(*other));
  EXPECT_EQ(search_ids(*other, "alpha"), "b");
}

TEST_F(NativeIndex, SearchesTheCommitsOfAnotherIndexObject) {
  const auto server = open();
  const auto import = open();
  ASSERT_TRUE(commit(*import, Build::Rebuild, {{.id = "a", .content = "alpha"}}));
  EXPECT_EQ(search_ids(*server, "alpha"), "a");
  ASSERT_TRUE(commit(*import, Build::Update, {{.id = "b", .content = "alpha"}}, 2));
  EXPECT_EQ(search_ids(*server, "alpha"), "a|b");
  ASSERT_TRUE(commit(*server, Build::Update, {{.id = "c", .content = "alpha"}}, 3));
  ASSERT_TRUE(commit(*import, Build::Update, {{.id = "a", .content = "beta"}}, 4));
  EXPECT_EQ(search_ids(*server, "alpha"), "b|c");
}

TEST_F(NativeIndex, CutsTheExcerptOfALongTextAnywhere) {
  constexpr std::size_t kWords = 20'000;
  std::vector<std::string> words;
  for (std::size_t i = 0; i < kWords; ++i) words.push_back("filler" + std::to_string(i % 500));
  for (std::size_t i = 100; i < kWords; i += 500) {
    const std::string number = std::to_string(i);
    words[i] = "wolf";
    words[i + 150] = "wolf lamb" + number + " met";
    words[i + 153] = "a lion" + number + " and";
    words[i + 250] = "lamb" + number;
  }
  std::string content;
  for (const std::string& word : words) content += word + ' ';
  const auto index = open("en");
  ASSERT_TRUE(commit(*index, Build::Rebuild, {{.id = "long", .title = "Sheep", .content = content}}));
  const auto excerpt_of = [&](const std::string& query) { return run_query(*index, {.q = query}).excerpts.at(0); };
  for (std::size_t i = 100; i < kWords; i += 500) {
    const std::string number = std::to_string(i);
    const std::string both = "wolf lamb" + number + " met";
    for (const std::string& query :
         {"wolf lamb" + number, "\"wolf lamb" + number + '"', "lion" + number + " lamb" + number})
      EXPECT_NE(excerpt_of(query).find(both), std::string::npos) << query << ": " << excerpt_of(query);
    EXPECT_NE(excerpt_of("lion" + number).find("a lion" + number + " and"), std::string::npos);
    EXPECT_NE(excerpt_of("lion" + number.substr(0, number.size() - 1) + '*').find("a lion"), std::string::npos);
  }
  EXPECT_TRUE(excerpt_of("sheep").starts_with("filler0 filler1")) << excerpt_of("sheep");
  EXPECT_TRUE(excerpt_of("sheep").ends_with("…"));
}

TEST_F(NativeIndex, ShowsTheDetailsOfALongTextWhereverTheirFirstBlockEnds) {
  std::vector<std::string> urls;
  for (std::size_t size = 960; size < 1'060; ++size) urls.push_back("https://example.org/" + std::string(size, 'x'));
  const std::string content(3'000, 'y');
  std::vector<SampleItem> items;
  for (const std::string& url : urls)
    items.push_back({.id = std::to_string(url.size()),
                     .title = "wolf",
                     .content = content,
                     .url = url,
                     .language = "en",
                     .version = "v1.25"});
  const auto index = open("en");
  ASSERT_TRUE(commit(*index, Build::Rebuild, items));
  const QueryResult result = run_query(*index, {.q = "wolf"});
  ASSERT_EQ(result.rows.size(), urls.size());
  for (const std::string& row : result.rows) {
    EXPECT_NE(row.find("v1.25"), std::string::npos) << row;
    EXPECT_NE(row.find(" en"), std::string::npos) << row;
  }
}

TEST_F(NativeIndex, CachesCompletionsOfShortPrefixesForOneRevision) {
  const auto index = open();
  ASSERT_TRUE(commit(*index, Build::Rebuild, {{.id = "a", .content = "alpha alps"}, {.id = "b", .content = "alpha"}}));
  EXPECT_EQ(completed(*index, "al", 1), "alpha:2");
  EXPECT_EQ(completed(*index, "al", 9), "alpha:2 alps:1") << "more than cached";
  EXPECT_EQ(completed(*index, "al", 1), "alpha:2") << "less than cached";
  ASSERT_TRUE(
      commit(*open(), Build::Update, {{.id = "c", .content = "alps alder"}, {.id = "d", .content = "alps"}}, 2));
  EXPECT_EQ(completed(*index, "al", 9), "alps:3 alpha:2 alder:1") << "another revision";
}

TEST_F(NativeIndex, CachesCompletionsWhileViewsAreCounted) {
  const auto index = open();
  ASSERT_TRUE(commit(*index, Build::Rebuild, {{.id = "a", .content = "alpha"}, {.id = "b", .content = "alps"}}));
  native_index::CompletionCache memory;
  text::Analyzer analyzer;
  const auto before = *memory.complete(*index->snapshot(), analyzer, "al", 9);
  ports::Call call;
  const ports::ItemViews views[] = {{"a", 7}};
  ASSERT_TRUE(index->set_views(call, views, 1));
  EXPECT_EQ(*memory.complete(*index->snapshot(), analyzer, "al", 9), before);
  ASSERT_TRUE(commit(*index, Build::Update, {{.id = "a", .content = "other"}}, 2));
  EXPECT_EQ((*memory.complete(*index->snapshot(), analyzer, "al", 9))->size(), 1U) << "an item lost the word";
}

TEST_F(NativeIndex, OpensOnlyNewSegmentsOfAnotherCommit) {
  const auto server = open();
  const auto import = open();
  ASSERT_TRUE(commit(*import, Build::Rebuild, {{.id = "a", .content = "alpha"}, {.id = "b", .content = "alpha"}}));
  const auto before = server->snapshot();
  ASSERT_TRUE(commit(*import, Build::Update, {{.id = "a", .content = "beta"}}, 2));
  const auto after = server->snapshot();
  ASSERT_EQ(after->segments.size(), 2U);
  EXPECT_EQ(after->segments[0].segment, before->segments[0].segment);
  EXPECT_EQ(search_ids(*server, "alpha"), "b");

  fs::remove_all(path());
  ASSERT_TRUE(commit(*open(), Build::Rebuild, {{.id = "c", .content = "alpha"}}));
  EXPECT_EQ(search_ids(*server, "alpha"), "c") << "the first segment of another index";
}

TEST_F(NativeIndex, RejectsASecondWriterOfAnotherIndexObject) { expect_one_writer(*open(), *open(), path().string()); }

TEST_F(NativeIndex, RemovesUnneededFiles) {
  const auto index = open();
  for (model::Revision revision = 1; revision < 4; ++revision)
    ASSERT_TRUE(commit(*index, Build::Rebuild, {{.id = "a"}}, revision));
  EXPECT_EQ(segments().size(), 1U);
  ASSERT_TRUE(commit(*index, Build::Update, {{.id = "a"}}, 5));
  EXPECT_EQ(segments().size(), 1U) << "the replaced item's segment is empty";
  std::ofstream(path() / "segment-77") << "left by a killed process";
  ASSERT_TRUE(commit(*index, Build::Update, {{.id = "b"}}, 6));
  EXPECT_EQ(segments().size(), 2U);
}

TEST_F(NativeIndex, RemovesIndexesOfOtherFormatsIfItsOwnExistsWhenItIsOpened) {
  const fs::path parent = path().parent_path();
  const fs::path others[] = {parent / "manifest", parent / "lock", parent / "segment-3", parent / "format-7"};
  const fs::path foreign[] = {parent / "notes", parent / "segment-x", parent / "format-7a"};
  fs::create_directories(others[3]);
  for (const fs::path& file :
       {others[0], others[1], others[2], others[3] / "manifest", foreign[0], foreign[1], foreign[2]})
    std::ofstream(file) << "content";
  const auto exists = [](const fs::path& file) { return fs::exists(file); };
  {
    const auto builder = open("en", true);
    ASSERT_TRUE(commit(*builder, Build::Rebuild, {{.id = "a", .content = "alpha"}}));
    EXPECT_EQ(search_ids(*builder, "alpha"), "a");
  }
  EXPECT_TRUE(std::all_of(std::begin(others), std::end(others), exists));
  const auto server = open("en", true);
  EXPECT_EQ(search_ids(*server, "alpha"), "a");
  EXPECT_TRUE(
      eventually(std::chrono::seconds(20), [&] { return std::none_of(std::begin(others), std::end(others), exists); }));
  EXPECT_TRUE(std::all_of(std::begin(foreign), std::end(foreign), exists));
  EXPECT_EQ(search_ids(*server, "alpha"), "a");
}

TEST_F(NativeIndex, TreatsDamagedFilesAsAMissingState) {
  for (const std::uintmax_t kept : {std::uintmax_t{0}, std::uintmax_t{10}, std::uintmax_t{300}}) {
    ASSERT_TRUE(commit(*open(), Build::Rebuild, make_samples("x", 50, "alpha beta")));
    fs::resize_file(kept == 10 ? path() / "manifest" : segments().at(0), kept);
    const auto index = open();
    EXPECT_FALSE(is_complete(*index)) << kept;
    EXPECT_EQ(search_ids(*index, "alpha"), "error Unavailable") << kept;
    ports::Call call;
    const auto update = index->begin(call, Build::Update, conformance::kStoreId);
    ASSERT_FALSE(update);
    EXPECT_EQ(update.error().code, ErrorCode::Unsupported);
    ASSERT_TRUE(commit(*index, Build::Rebuild, {{.id = "new", .content = "alpha"}})) << kept;
    EXPECT_EQ(search_ids(*index, "alpha"), "new") << kept;
    ASSERT_TRUE(commit(*index, Build::Update, {{.id = "newer", .content = "alpha"}}, 2)) << kept;
    EXPECT_EQ(segments().size(), 2U) << "the damaged file was removed";
  }
}

TEST_F(NativeIndex, DetectsDamageWithoutASearch) {
  ASSERT_TRUE(commit(*open(), Build::Rebuild, make_samples("x", 50, "alpha beta")));
  const fs::path file = segments().at(0);
  std::fstream bytes(file, std::ios::in | std::ios::out | std::ios::binary);
  bytes.seekp(64);  // in the first section
  const int old = bytes.peek();
  bytes.put(static_cast<char>(old ^ 1));
  bytes.close();
  ports::Call call;
  const auto sound = open()->verify(call);
  ASSERT_FALSE(sound);
  EXPECT_EQ(sound.error().code, ErrorCode::Corrupt);
  EXPECT_NE(sound.error().detail.find(file.filename().string()), std::string::npos) << sound.error().detail;
}

TEST_F(NativeIndex, MergesWithoutChangingResults) {
  const auto index = open();
  ASSERT_TRUE(commit(*index, Build::Rebuild, make_samples("a", 30, "river delta")));
  for (model::Revision revision = 2; revision < 9; ++revision)
    ASSERT_TRUE(commit(*index, Build::Update,
                       {{.id = "a0" + std::to_string(revision), .content = "delta"},
                        {.id = "b" + std::to_string(revision), .title = "river", .content = "mountain river"}},
                       revision));
  const QueryResult before = run_query(*index, {.q = "river delta mountain", .fallback_below = model::kAlwaysAnyWord});
  ASSERT_GT(index->snapshot()->segments.size(), 4U);
  merge_all(*index);
  EXPECT_LT(index->snapshot()->segments.size(), 4U);
  const QueryResult after = run_query(*index, {.q = "river delta mountain", .fallback_below = model::kAlwaysAnyWord});
  EXPECT_EQ(after.ids, before.ids);
  EXPECT_EQ(after.result.total, before.result.total);
  EXPECT_EQ(after.relevances, before.relevances);
  EXPECT_EQ(segments().size(), index->snapshot()->segments.size());
}

TEST_F(NativeIndex, CorrectsNoWordThatADictionaryHas) {
  dictionaries_ = folder_.path();
  std::ofstream(dictionaries_ / "en_US.aff") << "SET UTF-8\n";
  std::ofstream(dictionaries_ / "en_US.dic") << "1\nchair\n";
  const auto index = open("en");
  ASSERT_TRUE(commit(*index, Build::Rebuild, {{.id = "a", .content = "a chain of trains"}}));
  EXPECT_EQ(run_query(*index, {.q = "chair"}).ids, "");
  EXPECT_EQ(run_query(*index, {.q = "chaim"}).ids, "a");
}

TEST_F(NativeIndex, SplitsAWordUnlessACorrectionIsMoreLikely) {
  const auto index = open("en");
  std::vector<SampleItem> samples = make_samples("often", 9, "command");
  samples.push_back({.id = "apart", .content = "example.com and others, running shoes"});
  for (const char* id : {"w1", "w2"}) samples.push_back({.id = id, .content = "the wi fi router and a wife"});
  ASSERT_TRUE(commit(*index, Build::Rebuild, samples));
  const QueryResult corrected = run_query(*index, {.q = "comand"});
  EXPECT_EQ(corrected.result.total, 9U);
  ASSERT_EQ(corrected.result.corrections.size(), 1U);
  EXPECT_EQ(corrected.result.corrections[0].replacement, "command");
  EXPECT_EQ(run_query(*index, {.q = "wifi"}).result.total, 2U);
  EXPECT_TRUE(run_query(*index, {.q = "wifi"}).result.corrections.empty());
  EXPECT_EQ(run_query(*index, {.q = "runningshoes"}).ids, "apart") << "words that are not their stems";
  EXPECT_EQ(run_query(*index, {.q = "firouters"}).result.total, 0U) << "the stem of a part is another word";
}

TEST_F(NativeIndex, PrefersTheWordThatLacksALetterOrHasTwoSwapped) {
  const auto index = open("en");
  std::vector<SampleItem> samples = make_samples("often", 7, "trick");
  samples.push_back({.id = "seldom", .content = "truck tricky"});
  ASSERT_TRUE(commit(*index, Build::Rebuild, samples));
  EXPECT_EQ(run_query(*index, {.q = "turck"}).ids, "seldom");
}

TEST_F(NativeIndex, EndsASearchAtItsDeadlineOrWhenCancelled) {
  const auto index = open();
  ASSERT_TRUE(commit(*index, Build::Rebuild, make_samples("x", 100, "alpha beta")));
  const auto query = model::parse_query("alpha").value();
  ports::SearchRequest request;
  request.query = &query;
  request.limit = 10;
  const auto ignore = [](const ports::SearchHit&) { return Visit::Continue; };
  ports::Call late;
  late.deadline = clock_.steady() - std::chrono::seconds(1);
  const auto missed = index->search(late, request, ignore);
  ASSERT_FALSE(missed);
  EXPECT_EQ(missed.error().code, ErrorCode::Deadline);
  const std::atomic<bool> gone = true;
  ports::Call unwanted;
  unwanted.cancel = &gone;
  const auto cancelled = index->search(unwanted, request, ignore);
  ASSERT_FALSE(cancelled);
  EXPECT_EQ(cancelled.error().code, ErrorCode::Cancelled);
}

TEST_F(NativeIndex, GivesUpAQuickSearchOfMuchWorkAndFindsTheSameAfterwards) {
  constexpr int kItems = 8, kWords = 1'000;
  std::vector<SampleItem> items;
  for (int i = 0; i < kItems; ++i) {
    std::string content;
    for (int word = 0; word < kWords; ++word) content += "start" + std::to_string(i * kWords + word) + ' ';
    items.push_back({.id = std::string(1, static_cast<char>('a' + i)), .content = content});
  }
  const auto index = open("en");
  ASSERT_TRUE(commit(*index, Build::Rebuild, items));
  const auto search_quickly = [&](const std::string& q) {
    ports::Call call;
    call.is_quick = true;
    const auto query = *model::parse_query(q);
    ports::SearchRequest request;
    request.query = &query;
    return index->search(call, request, [](const ports::SearchHit&) { return Visit::Continue; });
  };
  EXPECT_TRUE(failed(search_quickly("start*"), ErrorCode::Deadline));
  EXPECT_TRUE(succeeded(search_quickly("start7")));
  EXPECT_EQ(search_ids(*index, "start7*"), "a|h");
  EXPECT_TRUE(failed(search_quickly("start* start7*"), ErrorCode::Deadline));
  EXPECT_EQ(search_ids(*index, "start7* start70"), "a");
}

TEST_F(NativeIndex, FindsWordsTypedWithoutTheirAccents) {
  const auto index = open("es");
  ASSERT_TRUE(commit(*index, Build::Rebuild,
                     {{.id = "a", .content = "una presentaci\u00F3n"}, {.id = "b", .content = "una presentacion"}}));
  EXPECT_EQ(search_ids(*index, "presentacion"), "a|b");
  EXPECT_EQ(search_ids(*index, "presentaci\u00F3n"), "a|b");
  EXPECT_EQ(search_ids(*index, "\"una presentacion\""), "a|b");
}

/// Few items are Swedish. The stem of `printer` in Swedish equals the stem of `printing` in English.
TEST_F(NativeIndex, FindsPhrasesInOtherLanguagesThanTheQuery) {
  const auto index = open("auto");
  std::vector<SampleItem> samples =
      make_samples("en", 40, "the ship was printing in the harbour, where it had been for weeks");
  samples.push_back({.id = "sv", .content = "Skrivaren \u00E4r trasig och vi beh\u00F6ver en ny till kontoret i dag."});
  ASSERT_TRUE(commit(*index, Build::Rebuild, samples));
  ASSERT_EQ(index->snapshot()->other_languages, std::vector{*text::find_language("sv")});
  EXPECT_EQ(search_ids(*index, "\"ny till kontoret\""), "sv");
  EXPECT_EQ(search_ids(*index, "\"printer in\""), "");
  EXPECT_EQ(run_query(*index, {.q = "\"printer in\""}).result.total, 0U);
}

TEST_F(NativeIndex, BoostsItemsWhoseWordsAreAdjacent) {
  const auto index = open("en");
  ASSERT_TRUE(commit(*index, Build::Rebuild,
                     {{.id = "apart", .content = "snow one two three four five six seven eight nine wolf"},
                      {.id = "near", .content = "snow wolf one two three four five six seven eight nine"}}));
  const QueryResult found = run_query(*index, {.q = "wolf snow"});
  EXPECT_EQ(found.ids, "near|apart");
  EXPECT_EQ(found.relevances.front(), 1);
  const QueryResult by_date = run_query(*index, {.q = "wolf snow", .sort = model::Sort::Date});
  EXPECT_EQ(by_date.ids, "apart|near");
  EXPECT_EQ(by_date.relevances, (std::vector<double>{found.relevances[1], 1}));
}

TEST_F(NativeIndex, CorrectsOnlyIfRequested) {
  native_index::Options options;
  options.path = path();
  options.corrects_typos = false;
  const auto typed_index = NativeSearchIndex::open(options, files_, clock_, nullptr).value();
  ASSERT_TRUE(commit(*typed_index, Build::Rebuild, {{.id = "a", .content = "mountain"}}));
  EXPECT_EQ(search_ids(*typed_index, "mountian"), "");
  EXPECT_FALSE(typed_index->capabilities().typo_tolerance);
  const auto correcting_index = open();
  EXPECT_TRUE(is_complete(*correcting_index)) << "this needs no other index";
  EXPECT_EQ(search_ids(*correcting_index, "mountian"), "a");
  EXPECT_NE(correcting_index->fingerprint(), typed_index->fingerprint());
}

TEST_F(NativeIndex, BuildsTheSameIndexWithSeveralThreads) {
  std::vector<SampleItem> samples;
  for (std::size_t i = 0; i < 2'000; ++i)
    samples.push_back({.id = std::to_string(i * 7 % 1'500),  // 500 of the 1,500 ids occur twice
                       .content = "river of " + std::to_string(i % 100) + " and " + std::to_string(i)});
  const auto all_of = [this, &samples](std::size_t threads) {
    native_index::Options options;
    options.path = path() / std::to_string(threads);
    options.threads = threads;
    options.batch_bytes = std::size_t{64} << 10;
    options.merges = false;
    const auto index = NativeSearchIndex::open(options, files_, clock_, nullptr).value();
    ports::Call call;
    const auto writer = index->begin(call, Build::Rebuild, conformance::kStoreId).value();
    EXPECT_TRUE(conformance::put(*writer, samples));
    EXPECT_TRUE(writer->remove(call, "3"));
    EXPECT_TRUE(writer->commit(call, 1));
    EXPECT_GT(index->snapshot()->segments.size(), threads);
    EXPECT_TRUE(index->verify(call));
    return run_query(*index, {.q = "river 42", .limit = 2'000, .fallback_below = model::kAlwaysAnyWord});
  };
  const QueryResult one = all_of(1);
  const QueryResult several = all_of(3);
  EXPECT_EQ(one.result.total, 1'499U);
  EXPECT_EQ(several.result.total, one.result.total);
  EXPECT_EQ(several.ids, one.ids);
}

TEST_F(NativeIndex, PublishesFewSegmentsOfALargeRebuild) {
  native_index::Options options;
  options.path = path();
  options.batch_bytes = 1;  // one segment per item
  options.merges = false;
  const auto index = NativeSearchIndex::open(options, files_, clock_, nullptr).value();
  ports::Call call;
  const auto writer = index->begin(call, Build::Rebuild, conformance::kStoreId).value();
  for (std::size_t i = 0; i < 200; ++i) {
    const std::vector<SampleItem> one = {{.id = std::to_string(i % 150), .content = "river " + std::to_string(i)}};
    ASSERT_TRUE(conformance::put(*writer, one));
    EXPECT_TRUE(i % 10 != 9 || writer->remove(call, std::to_string(i % 150)));
  }
  ASSERT_TRUE(writer->commit(call, 1));
  EXPECT_LT(segments().size(), 40U) << "the merged ones were removed";
  EXPECT_TRUE(index->verify(call));
  EXPECT_EQ(run_query(*index, {.q = "river"}).result.total, 135U);
  EXPECT_EQ(search_ids(*index, "191"), "41");
  EXPECT_EQ(search_ids(*index, "41"), "") << "it was replaced";
}

/// Readers, and a writer with merges in the background, for the thread sanitizer.
TEST_F(NativeIndex, ReturnsConsistentBatchesWhileMergingInTheBackground) {
  const auto index = open("en", true);
  ASSERT_TRUE(commit(*index, Build::Rebuild, make_samples("n", 10, "round1")));
  std::atomic<bool> done = false;
  std::atomic<int> torn = 0;
  std::vector<std::thread> readers;
  for (int i = 0; i < 8; ++i)
    readers.emplace_back([&] {
      while (!done) {
        const QueryResult found = run_query(*index, {.q = "round*", .limit = 20});
        bool whole = found.result.total == 10;
        for (const std::string& excerpt : found.excerpts)
          whole = whole && excerpt == "round" + std::to_string(found.result.revision);
        if (!whole) ++torn;
      }
    });
  ports::Call call;
  for (model::Revision revision = 2; revision < 60; ++revision) {
    EXPECT_TRUE(commit(*index, Build::Update, make_samples("n", 10, "round" + std::to_string(revision)), revision));
    const ports::ItemViews views[] = {{"n00", revision}, {"n07", 2 * revision}};
    EXPECT_TRUE(index->set_views(call, views, revision));
  }
  done = true;
  for (std::thread& reader : readers) reader.join();
  EXPECT_EQ(torn.load(), 0);
  EXPECT_TRUE(index->verify(call));
}

}  // namespace
}  // namespace kbase::tests
