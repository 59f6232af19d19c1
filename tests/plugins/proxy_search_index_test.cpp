// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <array>
#include <limits>
#include <vector>

#include "app/plugin_host/host_table.hpp"
#include "tests/plugins/fake_tables.hpp"
#include "tests/support/outcome.hpp"

namespace kbase::tests {
namespace {

kb_hit hit_of(std::string_view id, double relevance = 1) {
  auto hit = sized<kb_hit>();
  hit.id = to_view(id);
  hit.title = to_view("Title");
  hit.category = to_view("shelf");
  hit.excerpt = to_view("... found ...");
  hit.relevance = relevance;
  return hit;
}

ports::SearchRequest page_of(std::uint64_t limit) {
  ports::SearchRequest request;
  request.limit = limit;
  return request;
}

class SearchIndexProxy : public testing::Test {
 protected:
  /// Makes the plugin pass these hits until it is stopped, and report `total` matches.
  void answer_with(std::vector<kb_hit> hits, std::uint64_t total) {
    fake_.search = [hits, total](const kb_search_request&, kb_hit_sink sink, kb_correction_sink, void* data,
                                 kb_search_answer& answer) {
      answer.total = total;
      for (const kb_hit& hit : hits)
        if (sink(data, &hit) != 0) return KB_STOPPED;
      return KB_OK;
    };
  }

  Result<ports::SearchResult> search() {
    return index_->search(call_, request_, [this](const ports::SearchHit& hit) {
      seen_ += std::string(hit.id) + " ";
      return hit.id == stop_at_ ? Visit::Stop : Visit::Continue;
    });
  }

  Result<ports::SearchResult> search(const kb_hit& hit) {
    answer_with({hit}, 1);
    return search();
  }

  Status complete(std::string_view beginning) {
    return index_->complete(call_, beginning, 2, [this](const ports::WordCompletion& each) {
      seen_ += std::string(each.word) + " ";
      return each.word == stop_at_ ? Visit::Stop : Visit::Continue;
    });
  }

  HostFixture fixture_;
  FakeSearchIndex fake_;
  std::unique_ptr<ports::SearchIndex> index_ =
      plugin_host::open_port<ports::SearchIndex>(fake_.table, fixture_.host, "{}").value();
  ports::Call call_;
  ports::SearchRequest request_ = page_of(2);
  std::string seen_, stop_at_;
};

TEST_F(SearchIndexProxy, PassesTheQueryTree) {
  const auto query = model::parse_query(R"(alpha "two words" -gone pre* one OR other)");
  request_.query = &*query;
  request_.filter.category = "shelf";
  answer_with({}, 0);
  ASSERT_TRUE(succeeded(search()));
  EXPECT_EQ(fake_.arguments,
            "all(word(alpha)phrase(two words)not(word(gone))prefix(pre)any(word(one)word(other))) in shelf");
}

TEST_F(SearchIndexProxy, PassesTheRequest) {
  static_cast<ports::SearchOptions&>(request_) = {{}, model::Sort::Popularity, 5, 7, model::kAlwaysAnyWord, {}, false};
  request_.query = nullptr;
  fake_.search = [](const kb_search_request& request, kb_hit_sink, kb_correction_sink, void*, kb_search_answer&) {
    EXPECT_EQ(request.struct_size, sizeof(kb_search_request));
    EXPECT_EQ(request.query, nullptr);
    EXPECT_EQ(request.category, nullptr);
    EXPECT_EQ(request.sort, KB_SORT_POPULARITY);
    EXPECT_EQ(request.offset, 5u);
    EXPECT_EQ(request.limit, 7u);
    EXPECT_EQ(request.fallback_below, KB_FALLBACK_ALWAYS);
    EXPECT_EQ(request.tag, nullptr);
    EXPECT_EQ(request.updated_from, nullptr);
    EXPECT_EQ(request.updated_to, nullptr);
    EXPECT_EQ(request.wants, 0u);
    return KB_OK;
  };
  EXPECT_TRUE(succeeded(search()));
}

TEST_F(SearchIndexProxy, PassesFiltersAndOptions) {
  const auto day = [](int number) { return model::Day(std::chrono::days(number)); };
  request_.filter = {"shelf", "tag", day(-3), day(4)};
  request_.facets = {.tags = true, .languages = true};
  request_.highlights = true;
  fake_.search = [](const kb_search_request& request, kb_hit_sink, kb_correction_sink, void*, kb_search_answer&) {
    EXPECT_EQ(std::string_view(request.tag->data, request.tag->size), "tag");
    EXPECT_EQ(*request.updated_from, -3);
    EXPECT_EQ(*request.updated_to, 4);
    EXPECT_EQ(request.wants, KB_WANTS_MARKS | KB_WANTS_TAGS | KB_WANTS_LANGUAGES);
    return KB_OK;
  };
  EXPECT_TRUE(succeeded(search()));
}

TEST_F(SearchIndexProxy, ReturnsHighlights) {
  const std::array<kb_mark, 3> highlights{{{0, 5}, {4, 9}, {9, 13}}};
  kb_hit hit = hit_of("a");
  hit.title_marks = highlights.data();
  hit.title_mark_count = 1;
  hit.excerpt_marks = highlights.data() + 1;
  hit.excerpt_mark_count = 2;
  answer_with({hit}, 1);
  const auto answer = index_->search(call_, request_, [](const ports::SearchHit& seen) {
    EXPECT_EQ(std::vector(seen.title_highlights.begin(), seen.title_highlights.end()),
              (std::vector<model::Highlight>{{0, 5}}));
    EXPECT_EQ(std::vector(seen.excerpt_highlights.begin(), seen.excerpt_highlights.end()),
              (std::vector<model::Highlight>{{4, 9}, {9, 13}}));
    return Visit::Continue;
  });
  EXPECT_TRUE(succeeded(answer));
}

TEST_F(SearchIndexProxy, ReturnsFacets) {
  fake_.search = [](const kb_search_request& request, kb_hit_sink, kb_correction_sink, void* data,
                    kb_search_answer& answer) {
    request.facet(data, KB_FACET_TAG, to_view("b"), 2);
    request.facet(data, KB_FACET_CATEGORY, to_view("shelf"), 3);
    request.facet(data, KB_FACET_VERSION, to_view("2"), 2);
    request.facet(data, KB_FACET_LANGUAGE, to_view("en"), 3);
    request.facet(data, KB_FACET_TAG, to_view("a"), 1);
    answer.total = 3;
    return KB_OK;
  };
  request_ = page_of(0);
  const auto answer = search();
  ASSERT_TRUE(succeeded(answer));
  EXPECT_EQ(answer->facets.categories, (std::vector<ports::FacetValue>{{"shelf", 3}}));
  EXPECT_EQ(answer->facets.tags, (std::vector<ports::FacetValue>{{"b", 2}, {"a", 1}}));
  EXPECT_EQ(answer->facets.languages, (std::vector<ports::FacetValue>{{"en", 3}}));
  EXPECT_EQ(answer->facets.versions, (std::vector<ports::FacetValue>{{"2", 2}}));
}

TEST_F(SearchIndexProxy, CompletesWords) {
  EXPECT_TRUE(failed(complete("li"), ErrorCode::Unsupported)) << "only if the table declares it";
  fake_.table.capabilities = KB_SEARCH_INDEX_CAN_COMPLETE;
  fake_.table.struct_size = offsetof(kb_search_index_v1, complete);
  EXPECT_TRUE(failed(complete("li"), ErrorCode::Unsupported)) << "nor if the table ends before it";
  EXPECT_FALSE(index_->capabilities().completions);
  fake_.table.struct_size = sizeof fake_.table;
  fake_.words = {"limit", "lion"};
  EXPECT_TRUE(succeeded(complete("li")));
  EXPECT_EQ(seen_, "limit lion ");
  EXPECT_EQ(fake_.arguments, "li 2");
  stop_at_ = "limit";
  EXPECT_TRUE(succeeded(complete("li")));
  EXPECT_EQ(seen_, "limit lion limit ");
}

TEST_F(SearchIndexProxy, ReturnsHitsAndSummary) {
  fake_.search = [](const kb_search_request&, kb_hit_sink sink, kb_correction_sink, void* data,
                    kb_search_answer& answer) {
    EXPECT_EQ(answer.struct_size, sizeof answer);
    answer.total = 1;
    answer.any_word = 1;
    answer.revision = 8;
    answer.views_revision = 9;
    answer.lineage[3] = 4;
    const kb_hit hit = hit_of("a", 0.5);
    return sink(data, &hit) == 0 ? KB_OK : KB_STOPPED;
  };
  const auto answer = index_->search(call_, request_, [](const ports::SearchHit& hit) {
    EXPECT_EQ(hit.id, "a");
    EXPECT_EQ(hit.title, "Title");
    EXPECT_EQ(hit.category, "shelf");
    EXPECT_EQ(hit.excerpt, "... found ...");
    EXPECT_EQ(hit.relevance, 0.5);
    return Visit::Continue;
  });
  ASSERT_TRUE(succeeded(answer));
  EXPECT_EQ(answer->total, 1u);
  EXPECT_EQ(answer->rule, model::MatchRule::AnyWord);
  EXPECT_EQ(answer->revision, 8u);
  EXPECT_EQ(answer->views_revision, 9u);
  EXPECT_EQ(answer->store_id[3], 4);
  EXPECT_TRUE(answer->corrections.empty());
}

TEST_F(SearchIndexProxy, ReturnsCorrections) {
  fake_.search = [](const kb_search_request&, kb_hit_sink, kb_correction_sink correction, void* data,
                    kb_search_answer&) {
    correction(data, to_view("serach"), to_view("search"));
    correction(data, to_view("indx"), to_view("index"));
    return KB_OK;
  };
  const auto answer = search();
  ASSERT_TRUE(succeeded(answer));
  ASSERT_EQ(answer->corrections.size(), 2u);
  EXPECT_EQ(answer->corrections[0].word, "serach");
  EXPECT_EQ(answer->corrections[1].replacement, "index");
}

TEST_F(SearchIndexProxy, AStoppedSearchReturnsItsSummary) {
  answer_with({hit_of("a"), hit_of("b")}, 2);
  stop_at_ = "a";
  const auto answer = search();
  ASSERT_TRUE(succeeded(answer));
  EXPECT_EQ(answer->total, 2u);
  EXPECT_EQ(seen_, "a ");
}

TEST_F(SearchIndexProxy, ReportsThatItHasNoStateYet) {
  fake_.search = [](const kb_search_request&, kb_hit_sink, kb_correction_sink, void*, kb_search_answer&) {
    return KB_UNAVAILABLE;
  };
  EXPECT_TRUE(failed(search(), ErrorCode::Unavailable));
}

TEST_F(SearchIndexProxy, ReadsTheState) {
  const auto state = index_->state(call_);
  ASSERT_TRUE(succeeded(state));
  EXPECT_TRUE(state->complete);
  EXPECT_EQ(state->revision, 5u);
  EXPECT_EQ(state->documents, 3u);
  EXPECT_EQ(state->store_id[15], 9);
}

TEST_F(SearchIndexProxy, ReadsCapabilitiesFromTheFlagsOfTheTable) {
  EXPECT_FALSE(index_->capabilities().typo_tolerance);
  fake_.table.capabilities = KB_SEARCH_INDEX_CAN_CORRECT | KB_SEARCH_INDEX_CAN_SEGMENT;
  fake_.table.inline_calls = KB_SEARCH_INDEX_INLINE_QUICK_SEARCH;
  EXPECT_TRUE(index_->capabilities().inline_quick_search);
  EXPECT_FALSE(index_->capabilities().inline_search);
  fake_.table.inline_calls = KB_SEARCH_INDEX_INLINE_SEARCH;
  EXPECT_TRUE(index_->capabilities().typo_tolerance);
  EXPECT_TRUE(index_->capabilities().segmentation);
  EXPECT_TRUE(index_->capabilities().inline_search);
  EXPECT_FALSE(index_->capabilities().stemming);
  EXPECT_FALSE(index_->capabilities().persistent);
  EXPECT_FALSE(index_->capabilities().popularity_lag);
  EXPECT_FALSE(index_->capabilities().filters);
  fake_.table.capabilities = KB_SEARCH_INDEX_CAN_FILTER | KB_SEARCH_INDEX_CAN_COUNT | KB_SEARCH_INDEX_CAN_MARK;
  EXPECT_TRUE(index_->capabilities().filters);
  EXPECT_TRUE(index_->capabilities().facets);
  EXPECT_TRUE(index_->capabilities().highlights);
  EXPECT_FALSE(index_->capabilities().completions);
}

TEST_F(SearchIndexProxy, KeepsItsOwnFingerprint) {
  std::string text = "fake 2";
  fake_.fingerprint = to_view(text);
  const auto index = plugin_host::open_port<ports::SearchIndex>(fake_.table, fixture_.host, "{}").value();
  text = "gone!!";
  EXPECT_EQ(index->fingerprint(), "fake 2");
}

// --------------------------------------------------------------------------- plugins that return wrong data

TEST_F(SearchIndexProxy, RejectsAnInvalidFingerprint) {
  for (const kb_view none : {kb_view{}, kInvalidView}) {
    fake_.fingerprint = none;
    EXPECT_TRUE(
        failed(plugin_host::open_port<ports::SearchIndex>(fake_.table, fixture_.host, "{}"), ErrorCode::Internal));
  }
  EXPECT_EQ(fake_.destroyed, 2);
}

TEST_F(SearchIndexProxy, RejectsMoreHitsThanTheLimit) {
  answer_with({hit_of("a"), hit_of("b"), hit_of("c")}, 3);
  EXPECT_TRUE(failed(search(), ErrorCode::Internal));
  EXPECT_EQ(seen_, "a b ");
}

TEST_F(SearchIndexProxy, RejectsMoreHitsThanTheTotal) {
  answer_with({hit_of("a")}, 0);
  EXPECT_TRUE(failed(search(), ErrorCode::Internal)) << "fewer matches than hits";
  answer_with({hit_of("a")}, 2);
  EXPECT_TRUE(failed(search(), ErrorCode::Internal)) << "a page that is not full";
  request_.offset = 5;
  answer_with({hit_of("a")}, 3);
  EXPECT_TRUE(failed(search(), ErrorCode::Internal)) << "hits past the end";
  answer_with({}, 3);
  EXPECT_TRUE(succeeded(search())) << "an empty page past the end";
  request_ = page_of(0);
  answer_with({}, 3);
  EXPECT_TRUE(succeeded(search())) << "only the total";
  EXPECT_NE(search(hit_of("a")).error().detail.find("org.example.fake: search_index.search: the plugin passed "),
            std::string::npos);
}

TEST_F(SearchIndexProxy, RejectsAnInvalidRelevance) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  for (const double relevance : {0.0, -0.5, 1.0000001, kInfinity, -kInfinity, kNan})
    EXPECT_TRUE(failed(search(hit_of("a", relevance)), ErrorCode::Internal)) << relevance;
  EXPECT_EQ(seen_, "");
  EXPECT_TRUE(succeeded(search(hit_of("a", 1e-300))));
}

TEST_F(SearchIndexProxy, RejectsAnInvalidHit) {
  EXPECT_TRUE(failed(search(hit_of("")), ErrorCode::Internal));
  EXPECT_TRUE(failed(search(hit_of("\xC3")), ErrorCode::Internal));
  for (kb_view kb_hit::*text : {&kb_hit::id, &kb_hit::title, &kb_hit::category, &kb_hit::excerpt}) {
    kb_hit hit = hit_of("a");
    hit.*text = kInvalidView;
    EXPECT_TRUE(failed(search(hit), ErrorCode::Internal));
  }
  kb_hit hit = hit_of("a");
  hit.struct_size = offsetof(kb_hit, excerpt_mark_count);
  EXPECT_TRUE(failed(search(hit), ErrorCode::Internal));
  EXPECT_EQ(seen_, "");
}

TEST_F(SearchIndexProxy, RejectsInvalidCorrections) {
  const auto correct = [this](kb_view word, kb_view replacement, int times) {
    fake_.search = [=](const kb_search_request&, kb_hit_sink, kb_correction_sink correction, void* data,
                       kb_search_answer&) {
      for (int i = 0; i < times; ++i) correction(data, word, replacement);
      return KB_OK;
    };
    return search();
  };
  EXPECT_TRUE(succeeded(correct(to_view("a"), to_view("b"), 512)));
  EXPECT_TRUE(failed(correct(to_view("a"), to_view("b"), 513), ErrorCode::Internal));
  EXPECT_TRUE(failed(correct(to_view(""), to_view("b"), 1), ErrorCode::Internal));
  EXPECT_TRUE(failed(correct(to_view("a"), kInvalidView, 1), ErrorCode::Internal));
  EXPECT_TRUE(failed(correct(to_view("a"), to_view("\xFF"), 1), ErrorCode::Internal));
}

TEST_F(SearchIndexProxy, RejectsHighlightsOutsideTheirText) {
  const std::array<std::vector<kb_mark>, 5> wrong{{{{5, 6}}, {{1, 1}}, {{2, 1}}, {{1, 3}, {2, 4}}, {{3, 4}, {0, 1}}}};
  for (const auto& highlights : wrong) {
    kb_hit hit = hit_of("a");
    hit.title_marks = highlights.data();
    hit.title_mark_count = highlights.size();
    EXPECT_TRUE(failed(search(hit), ErrorCode::Internal)) << highlights[0].begin;
  }
  const kb_mark half{0, 1};
  kb_hit hit = hit_of("a");
  hit.title = to_view("é");
  hit.title_marks = &half;
  hit.title_mark_count = 1;
  EXPECT_TRUE(failed(search(hit), ErrorCode::Internal)) << "half a character";
  hit.title_marks = nullptr;
  EXPECT_TRUE(failed(search(hit), ErrorCode::Internal));
  EXPECT_EQ(seen_, "");
}

TEST_F(SearchIndexProxy, RejectsInvalidFacets) {
  request_ = page_of(0);
  const auto pass_facets = [this](std::int32_t facet, kb_view value, std::uint64_t items, int times) {
    fake_.search = [=](const kb_search_request& request, kb_hit_sink, kb_correction_sink, void* data,
                       kb_search_answer& answer) {
      answer.total = 3;
      for (int i = 0; i < times; ++i) request.facet(data, facet, value, items);
      return KB_OK;
    };
    return search();
  };
  EXPECT_TRUE(succeeded(pass_facets(KB_FACET_TAG, to_view("a"), 3, 100)));
  EXPECT_TRUE(failed(pass_facets(KB_FACET_TAG, to_view("a"), 3, 101), ErrorCode::Internal));
  EXPECT_TRUE(failed(pass_facets(KB_FACET_TAG, to_view("a"), 4, 1), ErrorCode::Internal))
      << "more than there are matches";
  EXPECT_TRUE(failed(pass_facets(KB_FACET_TAG, to_view("a"), 0, 1), ErrorCode::Internal));
  EXPECT_TRUE(failed(pass_facets(KB_FACET_TAG, to_view("\xFF"), 1, 1), ErrorCode::Internal));
  EXPECT_TRUE(failed(pass_facets(7, to_view("a"), 1, 1), ErrorCode::Internal));
}

TEST_F(SearchIndexProxy, RejectsInvalidCompletions) {
  fake_.table.capabilities = KB_SEARCH_INDEX_CAN_COMPLETE;
  for (const std::vector<std::string>& words : {std::vector<std::string>{""}, {"\xFF"}, {"a", "b", "c"}}) {
    fake_.words = words;
    EXPECT_TRUE(failed(complete("a"), ErrorCode::Internal));
  }
}

// --------------------------------------------------------------------------------------------- batches

TEST_F(SearchIndexProxy, PassesABatch) {
  auto writer = index_->begin(call_, ports::SearchIndex::Build::Rebuild, {3}).value();
  EXPECT_EQ(fake_.arguments, "1 of 3");
  model::ItemView a;
  a.id = "a";
  const std::array<const model::ItemView*, 1> items{&a};
  ASSERT_TRUE(succeeded(writer->put(call_, items)));
  EXPECT_EQ(fake_.arguments, "a[] ");
  ASSERT_TRUE(succeeded(writer->remove(call_, "b")));
  EXPECT_EQ(fake_.arguments, "b");
  ASSERT_TRUE(succeeded(writer->commit(call_, 12)));
  EXPECT_EQ(fake_.arguments, "12");
  writer.reset();
  EXPECT_EQ(fake_.aborted, 0);
}

TEST_F(SearchIndexProxy, AnUncommittedBatchIsAborted) {
  auto writer = index_->begin(call_, ports::SearchIndex::Build::Update, {}).value();
  fake_.answer = KB_CORRUPT;
  EXPECT_TRUE(failed(writer->commit(call_, 1), ErrorCode::Corrupt));
  writer.reset();
  EXPECT_EQ(fake_.aborted, 1);
}

TEST_F(SearchIndexProxy, RejectsAMissingBatch) {
  fake_.returns_no_writer = true;
  EXPECT_TRUE(failed(index_->begin(call_, ports::SearchIndex::Build::Update, {}), ErrorCode::Internal));
}

TEST_F(SearchIndexProxy, PassesViews) {
  const std::array<ports::ItemViews, 2> totals{{{"a", 3}, {"b", 4}}};
  ASSERT_TRUE(succeeded(index_->set_views(call_, totals, 6)));
  EXPECT_EQ(fake_.arguments, "6 a=3 b=4");
}

TEST_F(SearchIndexProxy, Verifies) {
  EXPECT_TRUE(succeeded(index_->verify(call_)));
  fake_.answer = KB_CORRUPT;
  EXPECT_TRUE(failed(index_->verify(call_), ErrorCode::Corrupt));
}

}  // namespace
}  // namespace kbase::tests
