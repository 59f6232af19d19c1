// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <set>
#include <string>

#include "adapters/opensearch/indices.hpp"
#include "adapters/opensearch/opensearch_search_index.hpp"
#include "adapters/opensearch/search.hpp"
#include "adapters/opensearch/server.hpp"
#include "adapters/opensearch/writer.hpp"
#include "adapters/text/ranking.hpp"
#include "plugins/conformance/fixtures.hpp"
#include "tests/support/outcome.hpp"
#include "tests/support/temporary_folder.hpp"

/// Units of the OpenSearch adapter that need no server.
namespace kbase::opensearch {
namespace {

using conformance::FakeUpstream;
using tests::failed;
using tests::succeeded;
using Reply = FakeUpstream::Reply;

// ------------------------------------------------------------------------------- documents of items

text::Language english() { return *text::find_language("en"); }

Streams streams(std::string_view title, std::string_view content, std::vector<std::string_view> tags = {}) {
  text::Analyzer analyzer;
  model::ItemView item;
  item.title = title;
  item.content = content;
  item.tags = tags;
  return build_streams(analyzer, item, {english()});
}

TEST(OpenSearchStreams, HaveAllFormsOfAWordAtOnePosition) {
  EXPECT_EQ(streams("", "Ships sail").text, " ships|~ship sail|~sail");
  EXPECT_EQ(streams("", "C++").text, " c++|~c++|c|~c");
}

TEST(OpenSearchStreams, SeparateFieldsAndTagsByAMark) {
  EXPECT_EQ(streams("red", "tree", {"one", "two"}).text, " red|~red , one|~one , two|~two , tree|~tree");
}

TEST(OpenSearchStreams, RepeatAWordByTheWeightOfItsField) {
  const Streams made = streams("red", "tree", {"blue"});
  std::string title;
  for (long i = 0; i < std::lround(text::title_weight(1)); ++i) title += " red";
  EXPECT_EQ(made.words, title + " blue blue tree");
  EXPECT_EQ(made.title_words, " red");
}

TEST(OpenSearchStreams, RankAWordByItsStemAndItsExactForm) {
  const Streams made = streams("", "ships sail");
  EXPECT_EQ(made.words, " ship sail");
  EXPECT_EQ(made.exact, " ships ,") << "both have the same length";
}

TEST(OpenSearchStreams, EscapeSeparatorsInForms) {
  std::string stream;
  append_name(stream, "a b|c\nd", false);
  EXPECT_EQ(stream, " a_b_c_d");
}

// ----------------------------------------------------------------------------- query translation

Expression expression(std::string_view q) {
  text::Analyzer analyzer;
  const text::Language languages[] = {english()};
  return translate_query(text::analyze_query(analyzer, model::parse_query(q).value(), languages));
}

const Json& filters(const Json& query) { return query.at("bool").at("filter"); }

TEST(OpenSearchExpression, RequiresEveryWordOrAnyWord) {
  const Expression made = expression("ships ... sail");
  const Json ships = {{"terms", {{"text", {"ships", "~ships", "~ship"}}}}};
  const Json sail = {{"terms", {{"text", {"sail", "~sail"}}}}};
  EXPECT_EQ(made.clauses, 2U);
  EXPECT_EQ(filters(made.all_words), Json::array({ships, sail}));
  EXPECT_EQ(filters(made.any_word),
            Json::array({{{"bool", {{"should", {ships, sail}}, {"minimum_should_match", 1}}}}}));
}

TEST(OpenSearchExpression, KeepsPhrasesAndExclusionsUnderBothRules) {
  const Expression made = expression("sail \"red ships\" -storm");
  const Json phrase = {{"match_phrase", {{"text", "red|~red ships|~ships|~ship"}}}};
  for (const Json& each : {made.all_words, made.any_word}) {
    EXPECT_EQ(filters(each).back(), phrase);
    EXPECT_EQ(each.at("bool").at("must_not").size(), 1U);
  }
}

TEST(OpenSearchExpression, RanksEachWordOnce) {
  const Json scores = expression("ships ships \"ships sail\"").all_words.at("bool").at("should");
  std::multiset<std::string> clauses;
  for (const Json& each : scores)
    if (each.contains("match"))
      for (const auto& [field, match] : each.at("match").items())
        clauses.insert(field + " " + match.at("query").get<std::string>());
  EXPECT_EQ(clauses, (std::multiset<std::string>{"words ships|ship", "exact ships", "words sail", "exact sail"}));
}

TEST(OpenSearchExpression, MatchesAllWordsWithAPrefix) {
  EXPECT_EQ(filters(expression("tele*").all_words)[0], (Json{{"prefix", {{"text", {{"value", "tele"}}}}}}));
  const Json split = filters(expression("foo_ba*").all_words)[0];
  EXPECT_EQ(split.at("match_phrase_prefix").at("text").at("query"), "foo|~foo ba");
}

TEST(OpenSearchExpression, StaysWithinTheClauseLimitOfOpenSearch) {
  std::string pairs, words;
  for (int i = 0; i < 2048; ++i)
    pairs += {'\xE4', static_cast<char>('\xB8' + i / 64 % 8), static_cast<char>('\x80' + i % 64)};
  for (int i = 0; words.size() < 2000; ++i) words += std::to_string(i) + "a ";
  for (const std::string& q : {pairs, words}) {
    const Expression made = expression(q);
    EXPECT_LE(filters(made.all_words).size() + made.all_words.at("bool").at("should").size(), 1023U);
  }
}

TEST(OpenSearchAlias, EncodesFormatAnalysisAndLanguage) {
  Options options;
  options.index = "shelf-items";
  EXPECT_EQ(make_alias(options), "shelf-items-f6-a7-auto");
}

// ----------------------------------------------------------------------------- response parsing

Json answer_of(const char* text) { return Json::parse(text); }

TEST(OpenSearchPage, IsParsedWithItsState) {
  const Json answer = answer_of(R"({"hits":{"total":{"value":2},"max_score":4.0,"hits":[
      {"_score":4.0,"_source":{"id":"a","title":"A","category":"x","content":"text","language":"en"}}]},
      "aggregations":{"matches":{"doc_count":3},"state":{"found":{"hits":{"hits":[{"_index":"i-1","_seq_no":5,
      "_primary_term":1,"_source":{"state":{"lineage":"01020000000000000000000000000000","revision":7,
      "views_revision":2,"open":false}}}]}}}}})");
  const auto page = parse_page(answer);
  ASSERT_TRUE(succeeded(page));
  EXPECT_EQ(page->total, 2U);
  EXPECT_EQ(page->matches, 3U);
  ASSERT_EQ(page->hits.size(), 1U);
  EXPECT_EQ(page->hits[0].content, "text");
  ASSERT_TRUE(page->state);
  EXPECT_EQ(page->state->state.revision, 7U);
  EXPECT_EQ(page->state->index, "i-1");
}

TEST(OpenSearchPage, RejectsInvalidResponses) {
  for (const char* const text :
       {"{}", "null", "[]", R"({"hits":{"total":{"value":1}}})",
        R"({"hits":{"total":{"value":1},"max_score":1,"hits":[{"_score":2,"_source":{"id":"a"}}]},
            "aggregations":{"matches":{"doc_count":1}}})",
        R"({"hits":{"total":{"value":1},"hits":[{"_score":null}]},"aggregations":{"matches":{"doc_count":1}}})"})
    EXPECT_TRUE(failed(parse_page(answer_of(text)), ErrorCode::Unavailable)) << text;
}

TEST(OpenSearchPage, HasNoStateIfTheResponseHasTwo) {
  const std::string state = R"({"_index":"i","_source":{"state":{"lineage":"00000000000000000000000000000000",
      "revision":1,"views_revision":0}}})";
  const Json answer =
      Json::parse(R"({"aggregations":{"state":{"found":{"hits":{"hits":[)" + state + "," + state + "]}}}}}");
  EXPECT_FALSE(parse_aggregated_state(answer));
}

TEST(OpenSearchFailure, NamesTheRemedy) {
  EXPECT_NE(translate_error({401, {}, {}, {}}, "GET /").detail.find("search.config.username"), std::string::npos);
  EXPECT_NE(translate_error({403, "cluster_block_exception", {}, {}}, "PUT /x").detail.find("disk"), std::string::npos);
  EXPECT_EQ(translate_error({409, {}, {}, {}}, "PUT /x").code, ErrorCode::Conflict);
  EXPECT_EQ(translate_error({404, {}, {}, {}}, "GET /x").code, ErrorCode::NotFound);
  EXPECT_EQ(
      translate_error({400, "query_shard_exception", "failed to create query: this Analyzer is closed", {}}, "GET /x")
          .code,
      ErrorCode::NotFound)
      << "another index may replace it";
  EXPECT_EQ(translate_error({500, "already_closed_exception", "this IndexWriter is closed", {}}, "GET /x").code,
            ErrorCode::Unavailable);
  EXPECT_EQ(translate_error({429, {}, {}, {}}, "GET /x").code, ErrorCode::Unavailable);
  EXPECT_GT(translate_error({503, {}, {}, {}}, "GET /x").retry_after.count(), 0);
  EXPECT_EQ(translate_error({400, {}, {}, {}}, "GET /x").code, ErrorCode::Internal);
}

// ------------------------------------------------------------------------------------------ requests

constexpr const char* kVersion = R"({"version":{"distribution":"opensearch","number":"3.8.0"}})";

class OpenSearchServer : public testing::Test {
 protected:
  /// Answers the version request, then each of these replies in order; repeats the last one.
  void script(std::vector<Reply> replies, std::string version = kVersion) {
    upstream_.set_handler([this, replies, version](const ports::HttpRequest& request) {
      if (request.url == "http://search:9200/") return Reply{.body = version};
      bodies_.emplace_back(request.body);
      for (const ports::HttpField& field : request.fields)
        if (field.name == "Authorization") authorization_ = field.value;
      return replies[std::min(bodies_.size(), replies.size()) - 1];
    });
  }

  std::unique_ptr<Server> server(ports::HttpClient* http, Options options = {}) {
    options.url = "http://search:9200/";
    return Server::make(http, clock_, options).value();
  }

  conformance::ManualClock clock_;
  FakeUpstream upstream_{clock_};
  std::vector<std::string> bodies_;  // request bodies, in order
  std::string authorization_;
  ports::Call call_;
};

TEST_F(OpenSearchServer, IsRetriedIfItIsFull) {
  script({{.status = 429}, {.status = 503}, {.body = R"({"ok":true})"}});
  const auto answer = server(&upstream_)->execute(call_, {.path = "/x", .body = "{}"});
  ASSERT_TRUE(succeeded(answer));
  EXPECT_EQ(bodies_.size(), 3U);
}

TEST_F(OpenSearchServer, IsRetriedALimitedNumberOfTimes) {
  script({{.status = 503}});
  EXPECT_TRUE(failed(server(&upstream_)->execute(call_, {.path = "/x", .attempts = 2}), ErrorCode::Unavailable));
  EXPECT_EQ(bodies_.size(), 2U);
}

TEST_F(OpenSearchServer, IsNotRetriedAfterTheDeadline) {
  script({{.status = 429}});
  call_.deadline = clock_.steady() + std::chrono::milliseconds(20);
  EXPECT_TRUE(failed(server(&upstream_)->execute(call_, {.path = "/x"}), ErrorCode::Unavailable));
  EXPECT_EQ(bodies_.size(), 1U);
}

TEST_F(OpenSearchServer, ReceivesTheCredentials) {
  script({{.body = "{}"}});
  Options options;
  options.username = "kbase";
  options.password = "secret!";
  ASSERT_TRUE(succeeded(server(&upstream_, options)->execute(call_, {.path = "/x"})));
  EXPECT_EQ(authorization_, "Basic a2Jhc2U6c2VjcmV0IQ==");
}

TEST_F(OpenSearchServer, IsRejectedIfItsVersionIsUnknown) {
  for (const char* const version :
       {R"({"version":{"distribution":"opensearch","number":"1.3.9"}})",
        R"({"version":{"distribution":"opensearch","number":"2.18.0"}})",
        R"({"version":{"distribution":"opensearch","number":"4.0.0"}})", R"({"version":{"number":"8.1.0"}})"}) {
    script({{.body = "{}"}}, version);
    const auto answer = server(&upstream_)->execute(call_, {.path = "/x"});
    ASSERT_TRUE(failed(answer, ErrorCode::Unsupported)) << version;
    EXPECT_NE(answer.error().detail.find("2.19"), std::string::npos);
    EXPECT_TRUE(bodies_.empty()) << "it receives no further requests";
  }
  for (const char* const number : {"2.19.1", "3.0.0", "2.20.0"}) {
    script({{.body = "{}"}}, R"({"version":{"distribution":"opensearch","number":")" + std::string(number) + "\"}}");
    EXPECT_TRUE(succeeded(server(&upstream_)->execute(call_, {.path = "/x"}))) << number;
  }
}

TEST_F(OpenSearchServer, IsUnavailableWithAMessageIfMissing) {
  upstream_.set({.failure = ErrorCode::Unavailable});
  const auto answer = server(&upstream_)->execute(call_, {.path = "/x"});
  ASSERT_TRUE(failed(answer, ErrorCode::Unavailable));
  EXPECT_NE(answer.error().detail.find("search.config.url"), std::string::npos);
  EXPECT_TRUE(failed(server(nullptr)->execute(call_, {.path = "/x"}), ErrorCode::Unavailable));
}

TEST_F(OpenSearchServer, IsRejectedIfItsResponseIsNotJson) {
  script({{.body = "<html>"}});
  EXPECT_TRUE(failed(server(&upstream_)->execute(call_, {.path = "/x"}), ErrorCode::Unavailable));
}

TEST_F(OpenSearchServer, ReceivesRejectedDocumentsAgain) {
  script({{.body = R"({"items":[{"index":{"status":201}},{"index":{"status":429,"error":{"type":"busy"}}}]})"},
          {.body = R"({"items":[{"index":{"status":200}},{"index":{"status":201}}]})"}});
  const auto clauses = server(&upstream_);
  BulkWriter bulk(*clauses, "i.w", 1000);
  ASSERT_TRUE(bulk.add(call_, {R"("i:a")", "{}"}, 7));
  ASSERT_TRUE(bulk.add(call_, {R"("i:b")", "{}"}, 7));
  ASSERT_TRUE(bulk.send(call_));
  ASSERT_TRUE(succeeded(bulk.wait(call_)));
  ASSERT_EQ(bodies_.size(), 2U);
  EXPECT_EQ(bodies_[0], bodies_[1]);
  EXPECT_EQ(bodies_[0],
            "{\"index\":{\"_id\":\"i:a\",\"version_type\":\"external_gte\",\"version\":7}}\n{}\n"
            "{\"index\":{\"_id\":\"i:b\",\"version_type\":\"external_gte\",\"version\":7}}\n{}\n");
}

TEST_F(OpenSearchServer, KeepsANewerDocument) {
  script({{.body = R"({"items":[{"index":{"status":429}},{"index":{"status":409,"error":{"type":"version"}}}]})"}});
  const auto clauses = server(&upstream_);
  BulkWriter bulk(*clauses, "i.w", 1000);
  ASSERT_TRUE(bulk.add(call_, {R"("i:a")", "{}"}, 7));
  ASSERT_TRUE(bulk.send(call_));
  EXPECT_TRUE(failed(bulk.wait(call_), ErrorCode::Conflict));
  EXPECT_EQ(bodies_.size(), 1U) << "nothing is sent again";
}

TEST_F(OpenSearchServer, ReceivesDocumentsInRequestsOfLimitedSize) {
  script({{.body = R"({"items":[]})"}});
  const auto clauses = server(&upstream_);
  BulkWriter bulk(*clauses, "i.w", 300);
  for (int i = 0; i < 10; ++i) ASSERT_TRUE(bulk.add(call_, {R"("i:a")", std::string(100, 'x')}, 1));
  ASSERT_TRUE(bulk.send(call_));
  ASSERT_TRUE(bulk.wait(call_));
  EXPECT_EQ(bodies_.size(), 10U);
}

TEST_F(OpenSearchServer, ReceivesLostDocumentsAgain) {
  script({{.failure = ErrorCode::Unavailable},
          {.failure = ErrorCode::BadUpstream},
          {.failure = ErrorCode::Deadline},
          {.body = R"({"items":[{"index":{"status":200}}]})"}});
  const auto clauses = server(&upstream_);
  BulkWriter bulk(*clauses, "i.w", 1000);
  ASSERT_TRUE(bulk.add(call_, {R"("i:a")", "{}"}, 7));
  ASSERT_TRUE(bulk.send(call_));
  EXPECT_TRUE(succeeded(bulk.wait(call_)));
  EXPECT_EQ(bodies_.size(), 4U);
}

TEST_F(OpenSearchServer, ReceivesNonIdempotentRequestsOnce) {
  script({{.failure = ErrorCode::Unavailable}, {.body = "{}"}});
  EXPECT_TRUE(failed(server(&upstream_)->execute(call_, {.path = "/x"}), ErrorCode::Unavailable));
  EXPECT_EQ(bodies_.size(), 1U);
}

TEST_F(OpenSearchServer, IsRetriedNoSoonerThanItRequests) {
  script({{.status = 503, .fields = {{"retry-after", "60"}}}, {.body = "{}"}});
  call_.deadline = clock_.steady() + std::chrono::seconds(50);
  EXPECT_TRUE(failed(server(&upstream_)->execute(call_, {.path = "/x"}), ErrorCode::Unavailable));
  EXPECT_EQ(bodies_.size(), 1U) << "that would be after the deadline of the call";
}

TEST_F(OpenSearchServer, ReceivesNoMoreDocumentsThanItsResponseCanList) {
  script({{.body = R"({"items":[]})"}});
  const auto clauses = server(&upstream_);
  BulkWriter bulk(*clauses, "i.w", std::size_t{100} << 20);
  for (int i = 0; i < 20'001; ++i) ASSERT_TRUE(bulk.add(call_, {R"("i:a")", "{}"}, 1));
  ASSERT_TRUE(bulk.send(call_));
  ASSERT_TRUE(bulk.wait(call_));
  EXPECT_EQ(bodies_.size(), 2U);
}

// ------------------------------------------------------------------------------- an index on a scripted server

/// An index at revision 1 on a server with scripted replies.
class ScriptedOpenSearch : public testing::Test {
 protected:
  class Events final : public ports::EventLog {
   public:
    void log(ports::LogLevel, std::string_view event, std::string_view, std::span<const ports::LogField>) override {
      names.emplace_back(event);
    }
    std::vector<std::string> names;
  };

  void SetUp() override {
    upstream_.set_handler([this](const ports::HttpRequest& request) -> Reply {
      const std::string_view url = request.url;
      if (url == "http://search:9200/") return {.body = kVersion};
      for (const auto& [part, reply] : replies_)
        if (url.find(part) != url.npos) {
          requested_.push_back(part);
          return reply;
        }
      const std::string state = R"({"_index":"i-1","_seq_no":1,"_primary_term":1,"_source":{"state":{
          "lineage":"01000000000000000000000000000000","revision":1,"views_revision":0,"open":false,"swept":0}}})";
      if (url.find("/_search") != url.npos) return {.body = R"({"hits":{"hits":[)" + state + "]}}"};
      if (url.find("/_doc/state") != url.npos && request.method == "PUT") {
        states_.emplace_back(request.body);
        return {.body = R"({"_seq_no":2,"_primary_term":1})"};
      }
      if (url.find("/_doc/state") != url.npos) return {.body = state};
      if (url.find("/_refresh") != url.npos) return {.body = R"({"_shards":{"failed":0}})"};
      if (url.find("/_bulk") != url.npos) return {.body = R"({"items":[]})"};
      return {.body = "{}"};
    });
    Options options;
    options.url = "http://search:9200";
    options.spool = folder_.path();
    index_ = OpenSearchSearchIndex::open(&upstream_, clock_, options, &events_).value();
  }

  Status put() {
    auto writer = index_->begin(call_, ports::SearchIndex::Build::Update, kStoreId);
    if (!writer) return writer.error();
    model::ItemView item;
    item.id = "a";
    const model::ItemView* const items[] = {&item};
    return (*writer)->put(call_, items);
  }

  Status commit() {
    auto writer = index_->begin(call_, ports::SearchIndex::Build::Update, kStoreId);
    return writer ? (*writer)->commit(call_, 2) : Status(writer.error());
  }

  Result<std::unique_ptr<ports::IndexWriter>> begin_rebuild() {
    call_.deadline = clock_.steady() + std::chrono::milliseconds(20);  // no retries
    return index_->begin(call_, ports::SearchIndex::Build::Rebuild, kStoreId);
  }

  static constexpr model::StoreId kStoreId = {1};

  tests::TemporaryFolder folder_;
  conformance::ManualClock clock_;
  FakeUpstream upstream_{clock_};
  std::map<std::string, Reply> replies_;  // by a part of the URL; used before the default replies
  std::vector<std::string> requested_;    // matched URL parts, in order
  std::vector<std::string> states_;       // states that were written
  Events events_;
  ports::Call call_;
  std::unique_ptr<OpenSearchSearchIndex> index_;
};

constexpr const char* kUnreadable = R"({"docs":[{"_id":"i:a","error":{"type":"no_shard_available","reason":"why"}}]})";
constexpr const char* kRemovedIndex =
    R"({"docs":[{"_id":"i:a","error":{"type":"index_not_found_exception","reason":"no such index"}}]})";

TEST_F(ScriptedOpenSearch, DoesNotTreatAnUnreadableDocumentAsMissing) {
  const ports::ItemViews views[] = {{"a", 3}};
  replies_["/_mget"] = {.body = kUnreadable};
  EXPECT_TRUE(failed(put(), ErrorCode::Unavailable));
  EXPECT_TRUE(failed(index_->set_views(call_, views, 1), ErrorCode::Unavailable));
  replies_["/_mget"] = {.body = kRemovedIndex};
  EXPECT_TRUE(failed(put(), ErrorCode::Conflict));
  EXPECT_TRUE(failed(index_->set_views(call_, views, 1), ErrorCode::Conflict));
  replies_["/_mget"] = {.status = 404, .body = R"({"error":{"type":"index_not_found_exception"},"status":404})"};
  EXPECT_TRUE(failed(put(), ErrorCode::Conflict));
  EXPECT_TRUE(failed(index_->set_views(call_, views, 1), ErrorCode::Conflict));
}

TEST_F(ScriptedOpenSearch, RetriesRemovingTombstonesAfterARejection) {
  replies_["/_delete_by_query"] = {.status = 403};
  ASSERT_TRUE(succeeded(commit()));
  ASSERT_TRUE(succeeded(commit()));
  EXPECT_EQ(events_.names, std::vector<std::string>{"index.not_swept"}) << "logged once, although rejected twice";
  EXPECT_EQ(Json::parse(states_.back()).at("state").at("swept"), 0);
  replies_["/_delete_by_query"] = {.body = R"({"task":"x"})"};
  ASSERT_TRUE(succeeded(commit()));
  EXPECT_GT(Json::parse(states_.back()).at("state").at("swept"), 0);
  EXPECT_EQ(requested_.size(), 3U);
}

TEST_F(ScriptedOpenSearch, ReportsWhichPartOfAnItemIsNotIndexed) {
  auto writer = index_->begin(call_, ports::SearchIndex::Build::Update, kStoreId);
  ASSERT_TRUE(succeeded(writer));
  const std::string content(kMaxContentBytes + 1, ' ');
  model::ItemView item;
  item.id = "a";
  item.content = content;
  const model::ItemView* const items[] = {&item};
  ASSERT_TRUE(succeeded((*writer)->put(call_, items)));
  EXPECT_EQ(events_.names, std::vector<std::string>{"index.cut"});
}

constexpr const char* kOldState = "-auto/_doc/state";  // under the alias that searches use
constexpr const char* kNoShard =
    R"({"error":{"root_cause":[{"type":"no_shard_available_action_exception","reason":"No shard available for [get]"}],
        "type":"no_shard_available_action_exception","reason":"No shard available for [get]"},"status":503})";
constexpr const char* kNoManager =
    R"({"error":{"root_cause":[{"type":"cluster_block_exception","reason":"blocked by: [no cluster-manager]"}],
        "type":"cluster_block_exception","reason":"blocked by: [no cluster-manager]"},"status":503})";

TEST_F(ScriptedOpenSearch, IsRebuiltIfItsShardIsLost) {
  replies_[kOldState] = {.status = 503, .body = kNoShard};
  const auto writer = begin_rebuild();
  ASSERT_TRUE(succeeded(writer));
  EXPECT_TRUE(succeeded((*writer)->commit(call_, 2)));
}

TEST_F(ScriptedOpenSearch, IsNotRebuiltUnlessItReportsALostShard) {
  for (const Reply& reply :
       {Reply{.status = 503}, Reply{.status = 503, .body = kNoManager}, Reply{.failure = ErrorCode::Unavailable}}) {
    replies_[kOldState] = reply;
    EXPECT_TRUE(failed(begin_rebuild(), ErrorCode::Unavailable));
  }
  upstream_.set({.failure = ErrorCode::Unavailable});
  const auto writer = begin_rebuild();
  ASSERT_TRUE(failed(writer, ErrorCode::Unavailable));
  EXPECT_NE(writer.error().detail.find("search.config.url"), std::string::npos);
}

TEST_F(ScriptedOpenSearch, KeepsAnIndexWhoseShardExistedWhenTheRebuildBegan) {
  const auto writer = begin_rebuild();
  ASSERT_TRUE(succeeded(writer));
  replies_[kOldState] = {.status = 503, .body = kNoShard};
  EXPECT_TRUE(failed((*writer)->commit(call_, 2), ErrorCode::Unavailable));
}

TEST_F(ScriptedOpenSearch, KeepsAnIndexWhoseShardReturnedWithANewerState) {
  replies_[kOldState] = {.status = 503, .body = kNoShard};
  const auto writer = begin_rebuild();
  ASSERT_TRUE(succeeded(writer));
  replies_.clear();
  EXPECT_TRUE(failed((*writer)->commit(call_, 0), ErrorCode::Conflict));
}

TEST(OpenSearchDocument, TruncatesTheContentBetweenCharacters) {
  std::string content(kMaxContentBytes - 1, ' ');
  content += "\u00E4end";
  model::ItemView item;
  item.id = "a";
  item.content = content;
  const Json document = Json::parse(DocumentMaker(english()).make_document(item, 0).document);
  EXPECT_EQ(document.at("content").get<std::string>(), content.substr(0, kMaxContentBytes - 1));
  EXPECT_EQ(document.at("bytes"), kMaxContentBytes - 1);
}

// ------------------------------------------------------------------------------------- counted views

TEST(OpenSearchViews, AreCompleteUpToTheFirstGap) {
  CountedViews views;
  views.set({}, "one", 0, 4);
  EXPECT_EQ(views.complete_up_to(), 4U);
  views.set({}, "one", 7, 8);
  EXPECT_EQ(views.revision(), 8U);
  EXPECT_EQ(views.complete_up_to(), 4U) << "another server wrote the changes in between";
  views.set({}, "one", 8, 9);
  EXPECT_EQ(views.complete_up_to(), 4U) << "later changes do not close the gap";
  views.set({}, "one", 4, 9);
  EXPECT_EQ(views.complete_up_to(), 9U);
}

TEST(OpenSearchViews, AreCompleteAfterTheLastPart) {
  CountedViews views;
  views.set({}, "one", 0, 4);
  views.set({}, "one", 2, 2);
  EXPECT_EQ(views.complete_up_to(), 4U) << "repeated views lose nothing";
  views.set({}, "one", 2, 6);
  EXPECT_EQ(views.complete_up_to(), 6U);
}

TEST(OpenSearchViews, AreSentAgainIfTheIndexWasReplacedBetweenTheirParts) {
  CountedViews views;
  const std::array<ports::ItemViews, 1> first{{{"a", 1}}}, second{{{"b", 1}}}, third{{{"c", 1}}};
  views.set(first, "one", 0, 0);
  views.mark_written({"a"});
  views.set(second, "one", 0, 0);
  views.mark_written({"b"});
  views.set(third, "another", 0, 4);
  std::vector<std::string> pending = views.pending();
  std::sort(pending.begin(), pending.end());
  EXPECT_EQ(pending, (std::vector<std::string>{"a", "b", "c"}));
  views.mark_written(pending);
  views.set({}, "a third", 4, 5);
  EXPECT_TRUE(views.pending().empty()) << "views requested again after a replacement are sent again";
}

// --------------------------------------------------------------------------------- batches and options

TEST(OpenSearchSpool, ReturnsItsContentInOrder) {
  const tests::TemporaryFolder folder;
  auto spool = Spool::open(folder.path() / "new");
  ASSERT_TRUE(succeeded(spool));
  const std::string large(3'000'000, 'x');
  for (const std::string& each : {std::string("{}"), large, std::string()})
    ASSERT_TRUE(spool->add({"\"" + std::to_string(each.size()) + "\"", each}));
  std::vector<BulkDocument> read;
  ASSERT_TRUE(spool->read([&](const BulkDocument& lines) {
    read.push_back(lines);
    return Status();
  }));
  ASSERT_EQ(read.size(), 3U);
  EXPECT_EQ(read[0].document, "{}");
  EXPECT_EQ(read[1].document, large);
  EXPECT_EQ(read[2].id, "\"0\"");
  EXPECT_TRUE(std::filesystem::is_empty(folder.path() / "new")) << "its file has no name";
}

TEST(OpenSearchSpool, NamesThePathThatItCannotWrite) {
  const auto spool = Spool::open("/proc/none");
  ASSERT_TRUE(failed(spool, ErrorCode::Unavailable));
  EXPECT_NE(spool.error().detail.find("search.config.spool"), std::string::npos);
}

TEST(OpenSearchOptions, AreRejectedByName) {
  const conformance::ManualClock clock;
  const auto refused = [&](auto change) {
    Options options;
    change(options);
    const auto opened = OpenSearchSearchIndex::open(nullptr, clock, options);
    return opened ? std::string("opened") : opened.error().parameter;
  };
  EXPECT_EQ(refused([](Options& o) { o.index = "Upper"; }), "index");
  EXPECT_EQ(refused([](Options& o) { o.index = "-dash"; }), "index");
  EXPECT_EQ(refused([](Options& o) { o.index = "a/b"; }), "index");
  EXPECT_EQ(refused([](Options& o) { o.language = "klingon"; }), "language");
  EXPECT_EQ(refused([](Options& o) { o.url = "search:9200"; }), "url");
  EXPECT_EQ(refused([](Options& o) { o.url = "http://user:secret@search"; }), "url");
  EXPECT_EQ(refused([](Options& o) { o.username = "a b"; }), "username");
  EXPECT_EQ(refused([](Options& o) { o.username = o.api_key = "a"; }), "api_key");
  EXPECT_EQ(refused([](Options& o) { o.bulk_bytes = 0; }), "bulk_bytes");
  EXPECT_EQ(refused([](Options&) {}), "opened");
}

}  // namespace
}  // namespace kbase::opensearch
