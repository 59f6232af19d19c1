// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <functional>
#include <set>
#include <thread>
#include <vector>

#include "adapters/opensearch/indices.hpp"
#include "adapters/opensearch/server.hpp"
#include "plugins/conformance/fixtures.hpp"
#include "plugins/conformance/search_index_checks.hpp"
#include "tests/support/outcome.hpp"
#include "tests/support/temporary_opensearch_index.hpp"

/// Batches, writers and views on a real OpenSearch, beyond the contract suite of the search_index port.
namespace kbase::tests {
namespace {

using Build = ports::SearchIndex::Build;
using conformance::commit;
using conformance::kOtherStoreId;
using conformance::kStoreId;
using conformance::make_samples;
using conformance::run_query;
using conformance::SampleItem;
using conformance::search_ids;
using opensearch::Json;
using opensearch::OpenSearchSearchIndex;

/// An HTTP client that drops some requests to OpenSearch.
class LossyHttpClient final : public ports::HttpClient {
 public:
  explicit LossyHttpClient(ports::HttpClient& client) : client_(client) {}

  Result<std::unique_ptr<ports::HttpExchange>> open(ports::Call& call, const ports::HttpRequest& request) override {
    if (!lost.empty() && request.url.find(lost) != request.url.npos)
      return Error{ErrorCode::Unavailable, "It was lost."};
    urls.push_back(std::string(request.url));
    if (on_request) on_request(request.url);
    return client_.open(call, request);
  }

  std::string lost;  ///< requests whose URL contains this text are dropped; empty: none
  std::function<void(std::string_view url)> on_request;
  std::vector<std::string> urls;

 private:
  ports::HttpClient& client_;
};

class OpenSearchIndex : public testing::Test {
 protected:
  void SetUp() override {
    if (const char* const missing = missing_opensearch()) GTEST_SKIP() << missing;
    fixture_ = std::make_unique<TemporaryOpenSearchIndex>();
    index_ = fixture_->open(clock_);
  }

  std::string alias() const { return opensearch::make_alias(fixture_->options()); }

  /// The only index that the alias refers to.
  std::string index_name() {
    const Json names = fixture_->ask("GET", "/_alias/" + alias());
    return names.size() == 1 ? names.begin().key() : "(" + std::to_string(names.size()) + ")";
  }

  /// Number of indices under the test's name.
  std::size_t indices() {
    return fixture_->ask("GET", "/_cat/indices/" + fixture_->index() + "-*?format=json&h=index").size();
  }

  model::Revision revision(ports::SearchIndex& index) {
    const auto state = index.state(call_);
    return state ? state->revision : 0;
  }

  /// Rewrites the state unchanged except for its `open` flag.
  void mark(bool is_open) {
    const std::string path = "/" + index_name() + "/_doc/state";
    Json document = fixture_->ask("GET", path).at("_source");
    document["state"]["open"] = is_open;
    fixture_->ask("PUT", path, document);
  }

  /// Opens the index as another server would, with this HTTP client.
  std::unique_ptr<OpenSearchSearchIndex> open_on(ports::HttpClient& client) {
    return OpenSearchSearchIndex::open(&client, clock_, fixture_->options()).value();
  }

  conformance::ManualClock clock_;
  std::unique_ptr<TemporaryOpenSearchIndex> fixture_;
  std::unique_ptr<OpenSearchSearchIndex> index_;
  ports::Call call_;
};

TEST_F(OpenSearchIndex, FindsTheTwoWordsOfWhichAWordConsists) {
  ASSERT_TRUE(commit(*index_, Build::Rebuild,
                     {{.id = "two", .content = "the wi fi router"},
                      {.id = "apart", .content = "fi is a word, and so is wi"},
                      {.id = "roll", .content = "roll back, and rollbacks"}}));
  EXPECT_EQ(search_ids(*index_, "wifi"), "two");
  EXPECT_EQ(search_ids(*index_, "wifi router"), "two");
  EXPECT_EQ(search_ids(*index_, "rollback"), "roll") << "a word that the index has";
  EXPECT_EQ(search_ids(*index_, "fiwi"), "");
}

TEST_F(OpenSearchIndex, SearchesPhrasesOfManyWords) {
  std::string text, letters;
  for (int i = 0; i < 340; ++i) text += (i == 0 ? "" : " ") + std::string(i % 2 == 0 ? "runs" : "tests");
  for (int i = 0; i < 1000; ++i) letters += (i == 0 ? "" : " ") + std::string(1, static_cast<char>('a' + i % 26));
  ASSERT_TRUE(
      commit(*index_, Build::Rebuild, {{.id = "text", .content = text}, {.id = "letters", .content = letters}}));
  EXPECT_EQ(search_ids(*index_, '"' + text + '"'), "text");
  EXPECT_EQ(search_ids(*index_, '"' + letters + '"'), "letters");
  const std::string third = letters.substr(0, 2 * 330 - 1);
  EXPECT_EQ(search_ids(*index_, '"' + third + "\" \"b " + third.substr(2) + "\" \"c " + third.substr(2) + '"'), "");
}

TEST_F(OpenSearchIndex, ShowsCommitsOfAnotherServerImmediately) {
  const auto other = fixture_->open(clock_);
  ASSERT_TRUE(succeeded(commit(*index_, Build::Rebuild, {{.id = "a", .content = "amber"}})));
  EXPECT_EQ(search_ids(*other, "amber"), "a");
  ASSERT_TRUE(succeeded(commit(*other, Build::Update, {{.id = "b", .content = "amber"}}, 2)));
  EXPECT_EQ(search_ids(*index_, "amber"), "a|b");
  ASSERT_TRUE(succeeded(commit(*other, Build::Rebuild, {{.id = "c", .content = "amber"}}, 3, kOtherStoreId)));
  EXPECT_EQ(search_ids(*index_, "amber"), "c");
  EXPECT_EQ(revision(*index_), 3U);
}

TEST_F(OpenSearchIndex, RejectsTheCommitOfALateWriter) {
  ASSERT_TRUE(succeeded(commit(*index_, Build::Rebuild, {{.id = "a", .content = "old"}})));
  const auto other = fixture_->open(clock_);
  auto late = index_->begin(call_, Build::Update, kStoreId);
  ASSERT_TRUE(succeeded(late));
  ASSERT_TRUE(conformance::put(**late, {{.id = "a", .content = "late"}}));
  ASSERT_TRUE(succeeded(commit(*other, Build::Update, {{.id = "a", .content = "new"}}, 5)));
  EXPECT_TRUE(failed((*late)->commit(call_, 4), ErrorCode::Conflict));
  EXPECT_EQ(search_ids(*index_, "new OR late"), "a");
  EXPECT_EQ(search_ids(*index_, "late"), "");
  EXPECT_EQ(revision(*index_), 5U);
}

TEST_F(OpenSearchIndex, RejectsTheCommitOfAWriterWhoseIndexWasReplaced) {
  ASSERT_TRUE(succeeded(commit(*index_, Build::Rebuild, {{.id = "a", .content = "old"}})));
  const auto other = fixture_->open(clock_);
  auto late = index_->begin(call_, Build::Update, kStoreId);
  ASSERT_TRUE(succeeded(late));
  ASSERT_TRUE(conformance::put(**late, {{.id = "b", .content = "late"}}));
  ASSERT_TRUE(succeeded(commit(*other, Build::Rebuild, {{.id = "c", .content = "new"}}, 1)));
  EXPECT_TRUE(failed((*late)->commit(call_, 2), ErrorCode::Conflict));
  EXPECT_EQ(indices(), 1U) << "and no write restores the old index";
}

TEST_F(OpenSearchIndex, DoesNotRestoreARemovedItemByALateWrite) {
  ASSERT_TRUE(succeeded(commit(*index_, Build::Rebuild, {{.id = "a", .content = "amber"}})));
  {
    auto writer = index_->begin(call_, Build::Update, kStoreId);
    ASSERT_TRUE(succeeded(writer));
    ASSERT_TRUE((*writer)->remove(call_, "a"));
    ASSERT_TRUE(succeeded((*writer)->commit(call_, 9)));
  }
  // A late write of a stopped process, after OpenSearch has dropped the version of the deleted document.
  const std::string path = "/" + index_name() + "/_doc/i:a?version=8&version_type=external_gte&refresh=true";
  EXPECT_TRUE(fixture_->ask("PUT", path, {{"kind", "item"}, {"id", "a"}, {"text", "amber"}}).is_null());
  EXPECT_EQ(run_query(*index_, {.q = "amber"}).result.total, 0U);
  EXPECT_EQ(run_query(*index_, {}).result.total, 0U);
}

TEST_F(OpenSearchIndex, HidesAPartlyPublishedBatch) {
  ASSERT_TRUE(succeeded(commit(*index_, Build::Rebuild, {{.id = "a", .content = "amber"}})));
  mark(true);
  EXPECT_EQ(search_ids(*index_, "amber"), "a") << "writes are invisible before a refresh";
  fixture_->ask("POST", "/" + alias() + "/_refresh");  // as a recovery does
  EXPECT_EQ(search_ids(*index_, "amber"), "error Unavailable");
  EXPECT_TRUE(failed(index_->health(call_), ErrorCode::Unavailable));
}

TEST_F(OpenSearchIndex, RewritesAPartlyWrittenBatch) {
  ASSERT_TRUE(succeeded(commit(*index_, Build::Rebuild, {{.id = "a", .content = "amber"}})));
  // A process died in the middle of a batch of revision 3 that put b.
  mark(true);
  fixture_->ask("PUT", "/" + index_name() + "/_doc/i:b?version=3&version_type=external_gte",
                {{"kind", "item"}, {"id", "b"}, {"text", "amber|~amber"}, {"updated", 1}, {"views", 0}});
  ASSERT_TRUE(succeeded(commit(*index_, Build::Update, {{.id = "b", .content = "basalt"}}, 4)));
  EXPECT_EQ(search_ids(*index_, "amber"), "a");
  EXPECT_EQ(search_ids(*index_, "basalt"), "b");
  EXPECT_TRUE(succeeded(index_->verify(call_)));
}

TEST_F(OpenSearchIndex, RewritesAPartlyPublishedBatch) {
  ASSERT_TRUE(succeeded(commit(*index_, Build::Rebuild, {{.id = "a", .content = "amber"}})));
  mark(true);
  fixture_->ask("POST", "/" + alias() + "/_refresh");
  const auto state = index_->state(call_);
  ASSERT_TRUE(succeeded(state));
  EXPECT_FALSE(state->complete);
  EXPECT_EQ(state->store_id, kStoreId) << "it is the revision that a batch can follow";
  EXPECT_EQ(state->revision, 1U);
  const std::string before = index_name();
  ASSERT_TRUE(succeeded(commit(*index_, Build::Update, {{.id = "b", .content = "amber"}}, 4)));
  EXPECT_EQ(search_ids(*index_, "amber"), "a|b");
  EXPECT_EQ(index_name(), before) << "nothing was rebuilt";
  EXPECT_TRUE(succeeded(index_->health(call_)));
}

TEST_F(OpenSearchIndex, PublishesABatchWhoseWriterDiedBeforeItsRefresh) {
  ASSERT_TRUE(succeeded(commit(*index_, Build::Rebuild, {{.id = "a", .content = "amber"}})));
  LossyHttpClient client(fixture_->http());
  const auto other = open_on(client);
  client.lost = "/_refresh";
  EXPECT_TRUE(failed(commit(*other, Build::Update, {{.id = "b", .content = "amber"}}, 4), ErrorCode::Unavailable));
  EXPECT_EQ(revision(*index_), 1U);
  EXPECT_TRUE(failed(commit(*index_, Build::Update, {{.id = "b", .content = "amber"}}, 5), ErrorCode::Conflict))
      << "it followed an older revision";
  EXPECT_EQ(revision(*index_), 4U);
  EXPECT_EQ(search_ids(*index_, "amber"), "a|b");
  EXPECT_TRUE(succeeded(commit(*index_, Build::Update, {{.id = "c", .content = "amber"}}, 5)));
}

TEST_F(OpenSearchIndex, RejectsTheCommitOfALateRebuild) {
  ASSERT_TRUE(succeeded(commit(*index_, Build::Rebuild, {{.id = "a", .content = "amber"}}, 2)));
  const auto other = fixture_->open(clock_);
  auto late = index_->begin(call_, Build::Rebuild, kStoreId);
  ASSERT_TRUE(succeeded(late));
  ASSERT_TRUE(conformance::put(**late, {{.id = "a", .content = "amber"}}));
  ASSERT_TRUE(succeeded(commit(*other, Build::Update, {{.id = "b", .content = "amber"}}, 5)));
  EXPECT_TRUE(failed((*late)->commit(call_, 3), ErrorCode::Conflict));
  EXPECT_EQ(search_ids(*index_, "amber"), "a|b");
  late->reset();
  EXPECT_TRUE(succeeded(commit(*index_, Build::Rebuild, {{.id = "c", .content = "amber"}}, 3)))
      << "an index that is ahead of its store is replaced";
  EXPECT_EQ(search_ids(*index_, "amber"), "c");
}

TEST_F(OpenSearchIndex, IsReplacedWithoutDowntime) {
  ASSERT_TRUE(succeeded(commit(*index_, Build::Rebuild, make_samples("n", 30, "moss"))));
  std::atomic<bool> done = false;
  std::atomic<int> answers = 0;
  std::string wrong;
  std::thread reader([&] {
    while (!done) {
      const conformance::QueryResult found = run_query(*index_, {.q = "moss"});
      if (found.result.total != 30 || found.ids.starts_with("error")) wrong = found.ids + "!";
      ++answers;
    }
  });
  const auto other = fixture_->open(clock_);
  for (model::Revision revision = 2; revision < 7; ++revision) {
    const int before = answers;
    EXPECT_TRUE(succeeded(commit(*other, Build::Rebuild, make_samples("n", 30, "moss"), revision)));
    while (answers < before + 3) std::this_thread::yield();
  }
  done = true;
  reader.join();
  EXPECT_EQ(wrong, "");
  EXPECT_EQ(indices(), 1U) << "the old indices are removed";
}

TEST_F(OpenSearchIndex, RemovesTheIndexOfAnAbandonedRebuild) {
  for (int i = 0; i < 3; ++i) {
    const auto writer = index_->begin(call_, Build::Rebuild, kStoreId);
    ASSERT_TRUE(succeeded(writer));
  }
  EXPECT_LE(indices(), 2U);
  const auto other = fixture_->open(clock_);
  ASSERT_TRUE(succeeded(commit(*other, Build::Rebuild, {{.id = "a"}})));
  EXPECT_EQ(indices(), 1U);
}

TEST_F(OpenSearchIndex, ReportsItsLostShardAndCanBeReplaced) {
  // No node has this name, so the only shard cannot be allocated.
  fixture_->ask("PUT", "/" + alias() + "-1?wait_for_active_shards=0",
                {{"settings",
                  {{"index.number_of_shards", 1},
                   {"index.number_of_replicas", 0},
                   {"index.routing.allocation.require._name", "nowhere"}}},
                 {"aliases", {{alias(), Json::object()}}}});
  const system::SystemClock clock;
  const auto server = opensearch::Server::make(&fixture_->http(), clock, fixture_->options()).value();
  ports::Call call_without_deadline;  // with a deadline, the error could be the timeout of the last attempt
  const auto old = opensearch::read_alias_state(*server, call_without_deadline, alias());
  ASSERT_TRUE(failed(old, ErrorCode::Unavailable));
  EXPECT_TRUE(opensearch::has_no_shard(old.error())) << old.error().detail;
  const auto index = opensearch::create_index(*server, call_without_deadline, fixture_->options(), alias(), 2);
  ASSERT_TRUE(succeeded(index));
  EXPECT_TRUE(succeeded(opensearch::publish_index(*server, call_without_deadline, alias(), *index)));
  EXPECT_EQ(index_name(), *index);
  EXPECT_EQ(indices(), 1U);
}

TEST_F(OpenSearchIndex, RemovesOldIndicesOfAnotherServer) {
  ASSERT_TRUE(succeeded(commit(*index_, Build::Rebuild, {{.id = "a"}})));
  const std::string published = index_name();
  {
    const auto dead = fixture_->open(clock_);
    ASSERT_TRUE(succeeded(dead->begin(call_, Build::Rebuild, kStoreId)));
  }
  ASSERT_TRUE(succeeded(index_->begin(call_, Build::Rebuild, kStoreId)));
  EXPECT_EQ(indices(), 3U) << "its writer might still be running";
  clock_.advance(std::chrono::minutes(11));
  const auto writer = index_->begin(call_, Build::Rebuild, kStoreId);
  ASSERT_TRUE(succeeded(writer));
  EXPECT_EQ(indices(), 2U);
  EXPECT_EQ(index_name(), published) << "the index in use stays regardless of its age";
}

TEST_F(OpenSearchIndex, SendsAllRequestsOfASearchToOneCopy) {
  ASSERT_TRUE(succeeded(commit(*index_, Build::Rebuild, {{.id = "a", .content = "amber"}})));
  LossyHttpClient client(fixture_->http());
  const auto server = open_on(client);
  EXPECT_EQ(run_query(*server, {.q = "amber basalt", .fallback_below = 5}).ids, "a");
  std::set<std::string> copies;
  for (const std::string& url : client.urls)
    if (url.find("/_search") != url.npos) copies.insert(url.substr(url.find("preference="), url.find('&')));
  EXPECT_EQ(copies.size(), 1U);
  EXPECT_GE(client.urls.size(), 3U);
}

TEST_F(OpenSearchIndex, QueriesAnotherCopyIfTheStatesDiffer) {
  ASSERT_TRUE(succeeded(commit(*index_, Build::Rebuild, {{.id = "a", .content = "amber"}})));
  LossyHttpClient client(fixture_->http());
  const auto server = open_on(client);
  model::Revision next = 2;
  std::vector<std::string> copies;
  client.on_request = [&](std::string_view url) {
    if (url.find("/_search") == url.npos) return;
    const std::size_t begin = url.find("preference=");
    const std::string copy(url.substr(begin, url.find('&') - begin));
    if (copies.empty() || copies.back() != copy) copies.push_back(copy);
    // Each response has a different state until another copy is queried.
    if (copies.size() > 1) return;
    EXPECT_TRUE(succeeded(commit(*index_, Build::Update, {{.id = "b"}}, next++)));
  };
  EXPECT_EQ(search_ids(*server, "amber"), "a");
  EXPECT_EQ(copies.size(), 2U);
}

TEST_F(OpenSearchIndex, ReturnsPagesThatExceedOneResponse) {
  std::vector<SampleItem> samples = make_samples("n", 6, "moss" + std::string(3'000'000, '.'));
  samples.push_back({.id = "short", .content = "moss"});
  ASSERT_TRUE(succeeded(commit(*index_, Build::Rebuild, samples)));
  LossyHttpClient client(fixture_->http());
  const auto server = open_on(client);
  const conformance::QueryResult found = run_query(*server, {.q = "moss", .sort = model::Sort::Date, .limit = 100});
  EXPECT_EQ(found.ids, "n00|n01|n02|n03|n04|n05|short");
  ASSERT_EQ(found.excerpts.size(), 7U);
  for (const std::string& excerpt : found.excerpts) EXPECT_TRUE(excerpt.starts_with("moss")) << excerpt;
  EXPECT_EQ(std::count_if(client.urls.begin(), client.urls.end(),
                          [](const std::string& url) { return url.find("/_search") != url.npos; }),
            5)
      << "the state, the page, and its contents in three parts";
  EXPECT_EQ(run_query(*server, {.q = "moss", .sort = model::Sort::Date, .limit = 2}).ids, "n00|n01");
}

TEST_F(OpenSearchIndex, WritesTheViewsOfLongItemsInParts) {
  ASSERT_TRUE(succeeded(commit(*index_, Build::Rebuild, make_samples("n", 6, "moss" + std::string(3'000'000, '.')))));
  const ports::ItemViews views[] = {{"n00", 1}, {"n01", 2}, {"n02", 3}, {"n03", 4}, {"n04", 5}, {"n05", 6}};
  LossyHttpClient client(fixture_->http());
  const auto server = open_on(client);
  ASSERT_TRUE(succeeded(server->set_views(call_, views, 3)));
  EXPECT_EQ(std::count_if(client.urls.begin(), client.urls.end(),
                          [](const std::string& url) { return url.find("/_mget") != url.npos; }),
            4)
      << "changed items, and their texts in three parts";
  EXPECT_EQ(run_query(*index_, {.sort = model::Sort::Popularity}).ids, "n05|n04|n03|n02|n01|n00");
}

TEST_F(OpenSearchIndex, RequestsViewsAgainForNewItems) {
  ASSERT_TRUE(succeeded(commit(*index_, Build::Rebuild, {{.id = "a", .content = "zinc"}})));
  const ports::ItemViews views[] = {{"a", 1}, {"new", 5}};
  ASSERT_TRUE(succeeded(index_->set_views(call_, views, 4)));
  // A command without counted views adds an item that was viewed before it was in the index.
  const auto command = fixture_->open(clock_);
  ASSERT_TRUE(succeeded(commit(*command, Build::Update, {{.id = "new", .content = "zinc"}}, 2)));
  EXPECT_EQ(index_->state(call_)->views_revision, 0U) << "so that all views are sent again";
  ASSERT_TRUE(succeeded(index_->set_views(call_, views, 4)));
  EXPECT_EQ(run_query(*index_, {.q = "zinc", .sort = model::Sort::Popularity}).ids, "new|a");
  ASSERT_TRUE(succeeded(commit(*index_, Build::Update, {{.id = "newer", .content = "zinc"}}, 3)));
  EXPECT_EQ(index_->state(call_)->views_revision, 4U) << "a server that sent everything need not repeat it";
}

TEST_F(OpenSearchIndex, RequestsViewsAgainForNewItemsFromAServerThatSentAPart) {
  ASSERT_TRUE(succeeded(commit(*index_, Build::Rebuild, {{.id = "a", .content = "zinc"}})));
  const ports::ItemViews first[] = {{"a", 1}, {"new", 5}};
  ASSERT_TRUE(succeeded(index_->set_views(call_, first, 4)));
  const auto other = fixture_->open(clock_);
  const ports::ItemViews later[] = {{"a", 2}};
  ASSERT_TRUE(succeeded(other->set_views(call_, later, 5)));
  EXPECT_EQ(index_->state(call_)->views_revision, 5U);
  ASSERT_TRUE(succeeded(commit(*other, Build::Update, {{.id = "new", .content = "zinc"}}, 2)));
  EXPECT_EQ(index_->state(call_)->views_revision, 0U) << "it missed the earlier views";
  const ports::ItemViews all[] = {{"a", 2}, {"new", 5}};
  ASSERT_TRUE(succeeded(other->set_views(call_, all, 5)));
  EXPECT_EQ(run_query(*index_, {.q = "zinc", .sort = model::Sort::Popularity}).ids, "new|a");
  ASSERT_TRUE(succeeded(commit(*other, Build::Update, {{.id = "newer", .content = "zinc"}}, 3)));
  EXPECT_EQ(index_->state(call_)->views_revision, 5U) << "by now it has received all views";
}

TEST_F(OpenSearchIndex, RequestsViewsAgainAfterARebuildFromAServerThatSentAPart) {
  const std::vector<SampleItem> samples = {{.id = "a", .content = "zinc"}, {.id = "b", .content = "zinc"}};
  ASSERT_TRUE(succeeded(commit(*index_, Build::Rebuild, samples)));
  const ports::ItemViews first[] = {{"a", 1}, {"b", 5}};
  ASSERT_TRUE(succeeded(index_->set_views(call_, first, 4)));
  const auto other = fixture_->open(clock_);
  const ports::ItemViews later[] = {{"a", 2}};
  ASSERT_TRUE(succeeded(other->set_views(call_, later, 5)));
  ASSERT_TRUE(succeeded(commit(*other, Build::Rebuild, samples, 2)));
  EXPECT_EQ(index_->state(call_)->views_revision, 0U) << "it missed the earlier views";
  const ports::ItemViews all[] = {{"a", 2}, {"b", 5}};
  ASSERT_TRUE(succeeded(other->set_views(call_, all, 5)));
  EXPECT_EQ(run_query(*index_, {.q = "zinc", .sort = model::Sort::Popularity}).ids, "b|a");
  ASSERT_TRUE(succeeded(commit(*other, Build::Rebuild, samples, 3)));
  EXPECT_EQ(index_->state(call_)->views_revision, 5U) << "by now it has received all views";
  EXPECT_EQ(run_query(*index_, {.q = "zinc", .sort = model::Sort::Popularity}).ids, "b|a");
}

TEST_F(OpenSearchIndex, OrdersByTheReceivedViews) {
  ASSERT_TRUE(succeeded(commit(*index_, Build::Rebuild,
                               {{.id = "a", .content = "zinc", .views = 10},
                                {.id = "b", .content = "zinc", .views = 8},
                                {.id = "c", .content = "zinc"}})));
  const ports::ItemViews views[] = {{"b", 3}, {"c", 1}, {"unknown", 99}};
  ASSERT_TRUE(succeeded(index_->set_views(call_, views, 4)));
  const auto popular = [&](ports::SearchIndex& index) {
    return run_query(index, {.q = "zinc", .sort = model::Sort::Popularity});
  };
  EXPECT_EQ(popular(*index_).ids, "b|a|c");
  EXPECT_EQ(popular(*index_).result.views_revision, 4U);
  EXPECT_EQ(run_query(*index_, {.q = "zinc"}).ids, "a|b|c") << "nothing else changed";
  // A batch of another server, which has no counted views, keeps them.
  const auto other = fixture_->open(clock_);
  ASSERT_TRUE(succeeded(commit(*other, Build::Update, {{.id = "b", .content = "zinc", .views = 9}}, 2)));
  EXPECT_EQ(popular(*index_).ids, "b|a|c");
  EXPECT_EQ(popular(*index_).result.views_revision, 4U);
  EXPECT_EQ(index_->state(call_)->views_revision, 4U);
}

TEST_F(OpenSearchIndex, PublishesNoViewsWhileABatchIsBeingWritten) {
  ASSERT_TRUE(succeeded(commit(*index_, Build::Rebuild, {{.id = "a", .content = "zinc"}})));
  mark(true);
  const ports::ItemViews views[] = {{"a", 3}};
  EXPECT_TRUE(failed(index_->set_views(call_, views, 1), ErrorCode::Conflict));
  EXPECT_EQ(search_ids(*index_, "zinc"), "a");
  mark(false);
  EXPECT_TRUE(succeeded(index_->set_views(call_, {}, 1))) << "the views were written later";
  const Json stored = fixture_->ask("GET", "/" + index_name() + "/_doc/i:a");
  EXPECT_EQ(stored.at("_source").at("views"), 3);
}

TEST_F(OpenSearchIndex, SeparatesIndicesOfOtherNames) {
  ASSERT_TRUE(succeeded(commit(*index_, Build::Rebuild, {{.id = "a", .content = "tin"}})));
  TemporaryOpenSearchIndex other;
  const auto other_index = other.open(clock_);
  EXPECT_FALSE(other_index->state(call_)->complete);
  ASSERT_TRUE(succeeded(commit(*other_index, Build::Rebuild, {{.id = "b", .content = "tin"}})));
  EXPECT_EQ(search_ids(*index_, "tin"), "a");
  EXPECT_EQ(search_ids(*other_index, "tin"), "b");
}

TEST_F(OpenSearchIndex, SearchesInItsOldLanguageDuringARebuild) {
  ASSERT_TRUE(succeeded(commit(*index_, Build::Rebuild, {{.id = "a", .content = "ships"}})));
  opensearch::Options german = fixture_->options();
  german.language = "de";
  const auto other = OpenSearchSearchIndex::open(&fixture_->http(), clock_, german).value();
  EXPECT_FALSE(other->state(call_)->complete);
  ASSERT_TRUE(succeeded(commit(*other, Build::Rebuild, {{.id = "b", .content = "ships"}})));
  EXPECT_EQ(search_ids(*index_, "ship"), "a");
  EXPECT_EQ(search_ids(*other, "ships"), "b");
}

TEST_F(OpenSearchIndex, ReturnsPagesUpToMatch100000) {
  ASSERT_TRUE(succeeded(commit(*index_, Build::Rebuild, make_samples("q", 5, "fern"))));
  EXPECT_EQ(run_query(*index_, {.q = "fern", .offset = 3, .limit = opensearch::kMaxMatches - 3}).ids, "q03|q04");
  EXPECT_EQ(run_query(*index_, {.q = "fern", .offset = 3, .limit = opensearch::kMaxMatches}).ids,
            "error InvalidArgument");
  EXPECT_EQ(run_query(*index_, {.q = "fern", .offset = 5, .limit = opensearch::kMaxMatches}).result.total, 5U);
}

TEST_F(OpenSearchIndex, StopsWithItsCall) {
  ASSERT_TRUE(succeeded(commit(*index_, Build::Rebuild, {{.id = "a", .content = "fern"}})));
  const std::atomic<bool> cancelled = true;
  call_.cancel = &cancelled;
  EXPECT_TRUE(failed(index_->begin(call_, Build::Update, kStoreId), ErrorCode::Cancelled));
  ports::Call whole;
  EXPECT_EQ(index_->state(whole)->revision, 1U);
}

}  // namespace
}  // namespace kbase::tests
