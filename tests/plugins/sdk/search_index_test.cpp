// SPDX-License-Identifier: Apache-2.0
#include <cstring>

#include "tests/plugins/sdk/fake_host.hpp"
#include "tests/support/mocks/driven/search_index.hpp"
#include "tests/support/outcome.hpp"

namespace kbase::tests {
namespace {

using trompeloeil::_;

struct RecordingSink {
  std::string text;
  int most = 1000;

  static std::int32_t hit(void* data, const kb_hit* hit) {
    auto& recorded = *static_cast<RecordingSink*>(data);
    recorded.text.append(sdk::text_of(hit->id)).append(" ");
    for (std::size_t i = 0; i < hit->title_mark_count; ++i) recorded.record("title ", hit->title_marks[i]);
    for (std::size_t i = 0; i < hit->excerpt_mark_count; ++i) recorded.record("excerpt ", hit->excerpt_marks[i]);
    return --recorded.most <= 0 ? 1 : 0;
  }
  static void facet(void* data, std::int32_t facet, kb_view value, std::uint64_t items) {
    auto& recorded = *static_cast<RecordingSink*>(data);
    recorded.text.append(ports::kFacets[static_cast<std::size_t>(facet)].name).append(" ").append(sdk::text_of(value));
    recorded.text.append("=").append(std::to_string(items)).append(" ");
  }
  static std::int32_t word(void* data, kb_view word, std::uint64_t items) {
    auto& recorded = *static_cast<RecordingSink*>(data);
    recorded.text.append(sdk::text_of(word)).append("=").append(std::to_string(items)).append(" ");
    return --recorded.most <= 0 ? 1 : 0;
  }
  void record(std::string_view what, const kb_mark& mark) {
    text.append(what).append(std::to_string(mark.begin)).append("-").append(std::to_string(mark.end)).append(" ");
  }
  static void correction(void* data, kb_view word, kb_view replacement) {
    auto& recorded = *static_cast<RecordingSink*>(data);
    recorded.text.append(sdk::text_of(word)).append(">").append(sdk::text_of(replacement)).append(" ");
  }
};

ports::SearchHit hit(std::string_view id) {
  ports::SearchHit made;
  made.id = id;
  return made;
}

class SearchTables : public testing::Test {
 protected:
  SearchTables() {
    request.struct_size = sizeof request;
    answer.struct_size = sizeof answer;
  }

  kb_status search() {
    return index.table.search(index.handle, index.call(), &request, RecordingSink::hit, RecordingSink::correction,
                              &recorded, &answer);
  }

  TestInstance<ports::SearchIndex, MockSearchIndex> index;
  MockSearchIndex& port = index.implementation;
  kb_search_request request{};
  kb_search_answer answer{};
  RecordingSink recorded;
};

bool matches_request(const ports::SearchRequest& request, const model::QueryNode& query) {
  return request.query != nullptr && *request.query == query && request.filter.category == "shelf" &&
         request.sort == model::Sort::Date && request.offset == 20 && request.limit == 10 &&
         request.fallback_below == 5;
}

TEST_F(SearchTables, PassTheWholeRequest) {
  const auto query = model::parse_query("red OR \"dark blue\" -green pur*");
  const kb_view category = sdk::view_of("shelf");
  sdk::ToC to_c;
  to_c.ref(request.query, &*query);
  request.category = &category;
  request.sort = KB_SORT_DATE;
  request.offset = 20;
  request.limit = 10;
  request.fallback_below = 5;
  REQUIRE_CALL(port, search(_, _, _)).LR_WITH(matches_request(_2, *query)).RETURN(ports::SearchResult());
  EXPECT_EQ(search(), KB_OK);
}

TEST_F(SearchTables, AreQuickOnlyIfTheCallSaysSo) {
  index.call()->flags = KB_CALL_IS_QUICK;
  REQUIRE_CALL(port, search(_, _, _)).WITH(_1.is_quick).RETURN(ports::SearchResult());
  EXPECT_EQ(search(), KB_OK);
  index.call()->flags = 0;
  REQUIRE_CALL(port, search(_, _, _)).WITH(!_1.is_quick).RETURN(ports::SearchResult());
  EXPECT_EQ(search(), KB_OK);
}

TEST_F(SearchTables, IgnoreTheFlagsOfACallThatEndsBeforeThem) {
  index.call()->struct_size = offsetof(kb_call, flags);
  index.call()->flags = KB_CALL_IS_QUICK;
  REQUIRE_CALL(port, search(_, _, _)).WITH(!_1.is_quick).RETURN(ports::SearchResult());
  EXPECT_EQ(search(), KB_OK);
}

TEST_F(SearchTables, MatchEverythingWithoutAQuery) {
  REQUIRE_CALL(port, search(_, _, _))
      .WITH(_2.query == nullptr && _2.filter.is_empty() && !_2.highlights && !_2.facets.any() &&
            _2.sort == model::Sort::Relevance)
      .RETURN(ports::SearchResult());
  EXPECT_EQ(search(), KB_OK);
}

TEST_F(SearchTables, PassFiltersAndOptions) {
  const kb_view tag = sdk::view_of("tag");
  const std::int32_t from = -1;
  const std::int32_t to = 2;
  request.tag = &tag;
  request.updated_from = &from;
  request.updated_to = &to;
  request.wants = KB_WANTS_MARKS | KB_WANTS_CATEGORIES | KB_WANTS_VERSIONS;
  ports::SearchRequest received;
  REQUIRE_CALL(port, search(_, _, _)).LR_SIDE_EFFECT(received = _2).RETURN(ports::SearchResult());
  EXPECT_EQ(search(), KB_OK);
  EXPECT_EQ(received.filter, (ports::SearchFilter{std::nullopt, "tag", sdk::day_of(-1), sdk::day_of(2)}));
  EXPECT_TRUE(received.highlights);
  EXPECT_TRUE(received.facets.categories);
  EXPECT_FALSE(received.facets.tags);
  EXPECT_FALSE(received.facets.languages);
  EXPECT_TRUE(received.facets.versions);
}

TEST_F(SearchTables, PassHighlightsAndFacets) {
  static constexpr model::Highlight kTitle[] = {{1, 2}};
  static constexpr model::Highlight kExcerpt[] = {{3, 4}, {5, 6}};
  ports::SearchHit marked = hit("a");
  marked.title_highlights = kTitle;
  marked.excerpt_highlights = kExcerpt;
  ports::SearchResult found;
  found.facets = {{{"x", 2}}, {{"t", 1}}, {{"en", 1}}, {{"2", 1}}};
  request.facet = RecordingSink::facet;
  REQUIRE_CALL(port, search(_, _, _)).LR_SIDE_EFFECT(_3(marked)).LR_RETURN(found);
  EXPECT_EQ(search(), KB_OK);
  EXPECT_EQ(recorded.text, "a title 1-2 excerpt 3-4 excerpt 5-6 category x=2 tag t=1 language en=1 version 2=1 ");
}

TEST_F(SearchTables, CompleteWords) {
  recorded.most = 1;
  REQUIRE_CALL(port, complete(_, "li", 5u, _))
      .SIDE_EFFECT(_4(ports::WordCompletion{"limit", 3}))
      .SIDE_EFFECT(_4(ports::WordCompletion{"lion", 2}))
      .RETURN(Status());
  EXPECT_EQ(index.table.complete(index.handle, index.call(), sdk::view_of("li"), 5, RecordingSink::word, &recorded),
            KB_STOPPED);
  EXPECT_EQ(recorded.text, "limit=3 ");
}

TEST_F(SearchTables, FillTheSummary) {
  const ports::SearchResult found{7, model::MatchRule::AnyWord, {1, 2, 3}, 40, 50, {{"bleu", "blue"}}, {}};
  REQUIRE_CALL(port, search(_, _, _)).SIDE_EFFECT(_3(hit("a"))).RETURN(found);
  EXPECT_EQ(search(), KB_OK);
  EXPECT_EQ(recorded.text, "a bleu>blue ");
  EXPECT_EQ(answer.any_word, 1u);
  EXPECT_EQ(answer.total, 7u);
  EXPECT_EQ(answer.revision, 40u);
  EXPECT_EQ(answer.views_revision, 50u);
  EXPECT_EQ(answer.lineage[2], 3);
}

TEST_F(SearchTables, FillTheSummaryEvenIfTheSinkStopped) {
  recorded.most = 1;
  const ports::SearchResult found{7, model::MatchRule::AllWords, {}, 40, 50, {}, {}};
  REQUIRE_CALL(port, search(_, _, _)).SIDE_EFFECT(_3(hit("a"))).RETURN(found);
  EXPECT_EQ(search(), KB_STOPPED);
  EXPECT_EQ(answer.total, 7u);
}

TEST_F(SearchTables, RejectAnUnknownOrder) {
  request.sort = 17;
  EXPECT_EQ(search(), KB_INVALID_ARGUMENT);
  EXPECT_TRUE(index.host.explained);
}

TEST_F(SearchTables, RejectAQueryThatIsNotATree) {
  kb_query_node word{sizeof word, 99, {}, nullptr, nullptr, 0, 0};
  request.query = &word;
  EXPECT_EQ(search(), KB_INVALID_ARGUMENT);
}

TEST_F(SearchTables, ReturnTheState) {
  kb_index_state state;
  std::memset(&state, 0, sizeof state);
  state.struct_size = sizeof state;
  REQUIRE_CALL(port, state(_)).RETURN(ports::IndexState{{9}, 3, 4, 5, true});
  EXPECT_EQ(index.table.state(index.handle, index.call(), &state), KB_OK);
  EXPECT_EQ(state.complete, 1u);
  EXPECT_EQ(state.revision, 3u);
  EXPECT_EQ(state.views_revision, 4u);
  EXPECT_EQ(state.documents, 5u);
  EXPECT_EQ(state.lineage[0], 9);
}

class IndexBatches : public SearchTables {
 protected:
  class Writer final : public ports::IndexWriter {
   public:
    explicit Writer(IndexBatches& test) : test_(test) {}
    ~Writer() override { test_.done += "gone"; }
    Status put(ports::Call&, std::span<const model::ItemView* const> items) override {
      for (const model::ItemView* item : items) test_.done += "+" + std::string(item->id) + " ";
      return {};
    }
    Status remove(ports::Call&, std::string_view id) override {
      test_.done += "-" + std::string(id) + " ";
      return {};
    }
    Status commit(ports::Call&, model::Revision revision) override {
      if (revision == 0) return error_of(ErrorCode::Unavailable);
      test_.done += "at " + std::to_string(revision) + " ";
      return {};
    }

   private:
    IndexBatches& test_;
  };

  kb_status begin(std::int32_t build) {
    const std::uint8_t lineage[16] = {4, 5, 6};
    return index.table.begin(index.handle, index.call(), build, lineage, &writer);
  }

  void put(std::string_view id) {
    model::ItemView item;
    item.id = id;
    sdk::ToC to_c;
    const kb_item* const rows[] = {&to_c.row<kb_item>(item)};
    EXPECT_EQ(index.table.put(writer, index.call(), rows, 1), KB_OK);
  }

  kb_index_writer* writer = nullptr;
  std::string done;
};

TEST_F(IndexBatches, ArePublishedAndEndedByACommit) {
  REQUIRE_CALL(port, begin(_, ports::SearchIndex::Build::Rebuild, (model::StoreId{4, 5, 6})))
      .LR_RETURN(std::unique_ptr<ports::IndexWriter>(std::make_unique<Writer>(*this)));
  ASSERT_EQ(begin(KB_BUILD_REBUILD), KB_OK);
  put("a");
  EXPECT_EQ(index.table.remove(writer, index.call(), sdk::view_of("b")), KB_OK);
  EXPECT_EQ(index.table.commit(writer, index.call(), 8), KB_OK);
  EXPECT_EQ(done, "+a -b at 8 gone");
}

TEST_F(IndexBatches, WaitForAbortAfterAFailedCommit) {
  REQUIRE_CALL(port, begin(_, ports::SearchIndex::Build::Update, _))
      .LR_RETURN(std::unique_ptr<ports::IndexWriter>(std::make_unique<Writer>(*this)));
  ASSERT_EQ(begin(KB_BUILD_UPDATE), KB_OK);
  EXPECT_EQ(index.table.commit(writer, index.call(), 0), KB_UNAVAILABLE);
  EXPECT_EQ(done, "");
  index.table.abort(writer, index.call());
  EXPECT_EQ(done, "gone");
}

TEST_F(IndexBatches, RequireAKnownKind) { EXPECT_EQ(begin(5), KB_INVALID_ARGUMENT); }

}  // namespace
}  // namespace kbase::tests
