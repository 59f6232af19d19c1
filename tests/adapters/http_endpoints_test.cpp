// SPDX-License-Identifier: Apache-2.0
// The endpoints: their calls to the domain and the format of their responses.

#include <set>

#include "tests/adapters/http_fixture.hpp"
#include "tests/support/gzip.hpp"

namespace kbase::tests {
namespace {

using trompeloeil::_;

class Endpoint : public testing::Test, protected HttpFixture {
 protected:
  static model::ItemView item() {
    static constexpr std::string_view kTags[] = {"a", "b"};
    static constexpr std::string_view kRelated[] = {"y"};
    model::ItemView item;
    item.id = "x/y";
    item.title = "T \"q\"";
    item.category = "c";
    item.excerpt = "lead";
    item.content = "body\n";
    item.tags = kTags;
    item.related = kRelated;
    item.metadata.author = "ada";
    item.metadata.created = *model::parse_day("2026-01-02");
    item.metadata.updated = *model::parse_day("2026-01-03");
    item.metadata.views = 7;
    item.metadata.extra = R"("source":{"n":1})";
    item.revision = 5;
    return item;
  }
  static model::CategoryView category() {
    static constexpr std::string_view kSubcategories[] = {"s"};
    model::CategoryView category;
    category.id = "c";
    category.name = "C";
    category.description = "d";
    category.icon = "★";
    category.subcategories = kSubcategories;
    category.item_count = 3;
    return category;
  }
  static Status show(const model::ItemView& shown, ports::ItemVisitor visitor) {
    visitor(shown);
    return {};
  }
  static Status list(const model::ItemView& shown, ports::SummaryVisitor visitor) {
    visitor(shown);
    return {};
  }
  static Status list(const model::CategoryView& shown, ports::CategoryVisitor visitor) {
    visitor(shown);
    return {};
  }
  static Error error(ErrorCode code, std::string parameter = {}) { return {code, "No.", {}, std::move(parameter)}; }

  ports::Validator validator{{1}, 9, 0};
  std::unique_ptr<trompeloeil::expectation> allowances[4] = {
      NAMED_ALLOW_CALL(access, admit(_, _, _)).LR_RETURN(admitted(clock.now())),
      NAMED_ALLOW_CALL(catalog, store_id()).RETURN(model::StoreId{1}),
      NAMED_ALLOW_CALL(catalog, content_validator(_)).LR_RETURN(validator),
      NAMED_ALLOW_CALL(catalog, views_validator(_)).LR_RETURN(validator),
  };
};

constexpr const char* kSummary =
    R"({"id":"x/y","title":"T \"q\"","category":"c","excerpt":"lead","tags":["a","b"],)"
    R"("metadata":{"author":"ada","created":"2026-01-02","updated":"2026-01-03","views":7,"source":{"n":1}})";

TEST_F(Endpoint, ReturnsAWholeItemAndCountsTheView) {
  model::ItemView described = item();
  described.url = "https://example.org/x";
  described.summary = "s";
  described.language = "en";
  described.version = "2";
  described.format = "html";
  constexpr std::string_view kAliases[] = {"z"}, kSections[] = {"2 4 the-heading The heading"};
  described.aliases = kAliases;
  described.sections = kSections;
  REQUIRE_CALL(catalog, item(_, "x/y", _)).LR_RETURN(show(described, _3));
  REQUIRE_CALL(catalog, count_view("x/y"));
  const HttpAnswer answer = get("/item/x%2Fy?unknown=%zz");
  EXPECT_EQ(answer.status, 200);
  EXPECT_EQ(answer.body, R"({"success":true,"data":{"id":"x/y","title":"T \"q\"","category":"c","content":"body\n",)"
                         R"("tags":["a","b"],"metadata":{"author":"ada","created":"2026-01-02","updated":"2026-01-03",)"
                         R"("views":7,"source":{"n":1}},"related":["y"],"url":"https://example.org/x","summary":"s",)"
                         R"("aliases":["z"],"language":"en","version":"2","format":"html",)"
                         R"("sections":[{"heading":"The heading","anchor":"the-heading","level":2}]}})");
  EXPECT_EQ(answer.field("cache-control"), "private, no-cache");
  EXPECT_TRUE(answer.field("etag").starts_with("W/\"")) << answer.field("etag");
}

TEST_F(Endpoint, CountsNoViewForHeadOrForAnUnchangedItem) {
  ALLOW_CALL(catalog, item(_, "x", _)).RETURN(show(item(), _3));
  const HttpAnswer head = send("HEAD", "/item/x");
  EXPECT_EQ(head.status, 200);
  EXPECT_EQ(head.body, "");
  for (const std::string& known :
       {head.field("etag"), head.field("etag").substr(2), "\"other\", " + head.field("etag"), std::string("*")}) {
    const HttpAnswer answer = get("/item/x", "If-None-Match: " + known + "\r\n");
    EXPECT_EQ(answer.status, 304) << known;
    EXPECT_EQ(answer.body, "");
    EXPECT_EQ(answer.field("etag"), head.field("etag"));
    EXPECT_EQ(answer.field("content-type"), "(absent)");
  }
}

TEST_F(Endpoint, KeepsTheEntityTagOfAnItemIfOnlyItsViewsChange) {
  model::ItemView shown = item();
  ALLOW_CALL(catalog, item(_, "x", _)).LR_RETURN(show(shown, _3));
  const std::string before = send("HEAD", "/item/x").field("etag");
  shown.metadata.views = 8;
  EXPECT_EQ(send("HEAD", "/item/x").field("etag"), before);
  shown.revision = 6;
  EXPECT_NE(send("HEAD", "/item/x").field("etag"), before);
  shown.revision = 5;
  options.program_version = "1.0.1";
  EXPECT_NE(send("HEAD", "/item/x").field("etag"), before);
}

TEST_F(Endpoint, Returns404ForAnImpossibleIdAnd400ForAMalformedOne) {
  for (const char* path : {"/item/%zz", "/item/%ff", "/category/a%2", "/external/codehost/%c0%80"}) {
    const HttpAnswer answer = get(path);
    EXPECT_EQ(answer.status, 400) << path;
    EXPECT_EQ(answer.error_code(), "INVALID_PARAMETER") << path;
  }
  for (const std::string& path : {std::string("/item/a%00"), std::string("/item/.."), "/item/" + std::string(257, 'a'),
                                  std::string("/item/%C2%85"), std::string("/category/%2e")})
    EXPECT_EQ(get(path).error_code(), "NOT_FOUND") << path;
}

TEST_F(Endpoint, DecodesPathSegmentsAndIgnoresOneTrailingSlash) {
  ALLOW_CALL(catalog, item(_, "a+b", _)).RETURN(error(ErrorCode::NotFound));
  EXPECT_EQ(get("/i%74em/a+b/").json().at("error").at("message"), "No.");
  for (const char* path : {"/item", "/item/", "/item//", "/item/a/b", "//item/a", "/Item/a", "", "/", "/health/x"})
    EXPECT_NE(get(path).json().at("error").at("message"), "No.") << path;
}

TEST_F(Endpoint, ListsCategoriesWithOrWithoutTheirCounts) {
  REQUIRE_CALL(catalog, categories(_, _, _)).WITH(_2.limit == 100 && _2.offset == 0).RETURN(list(category(), _3));
  EXPECT_EQ(get("/categories").body,
            R"({"success":true,"data":[{"id":"c","name":"C","description":"d","icon":"★","item_count":3,)"
            R"("subcategories":["s"]}]})");
  REQUIRE_CALL(catalog, categories(_, _, _)).WITH(_2.limit == ~0ull && _2.offset == 2).RETURN(list(category(), _3));
  const HttpAnswer bare = get("/categories?include_counts=FALSE&limit=99999999999999999999999&offset=2");
  EXPECT_FALSE(bare.json().at("data").at(0).contains("item_count"));
}

TEST_F(Endpoint, ReturnsACategoryWithItsItemsIfRequested) {
  ALLOW_CALL(catalog, category(_, "c", _)).RETURN(list(category(), _3));
  EXPECT_FALSE(get("/category/c").json().at("data").contains("items"));
  REQUIRE_CALL(catalog, category_items(_, "c", ports::Subcategories::Excluded, _, _))
      .WITH(_4.limit == 50)
      .RETURN(list(item(), _5));
  const HttpAnswer answer = get("/category/c?include_items=True");
  EXPECT_EQ(answer.json().at("data").at("item_count"), 3);
  EXPECT_NE(answer.body.find(std::string(R"("items":[)") + kSummary + "}]"), std::string::npos) << answer.body;
}

TEST_F(Endpoint, ChecksThePageOfACategoryEvenWithoutItems) {
  EXPECT_EQ(get("/category/c?limit=0").status, 400);
  EXPECT_EQ(get("/category/c?offset=x").status, 400);
}

TEST_F(Endpoint, DiscardsThePartialBodyAfterAnError) {
  REQUIRE_CALL(catalog, category(_, "c", _)).RETURN(list(category(), _3));
  REQUIRE_CALL(catalog, category_items(_, "c", _, _, _)).RETURN(error(ErrorCode::InvalidArgument, "limit"));
  const HttpAnswer answer = get("/category/c?include_items=true&limit=9");
  EXPECT_EQ(answer.status, 400);
  EXPECT_EQ(answer.json().at("error").at("details").at("parameter"), "limit");
  EXPECT_EQ(answer.json().at("error").at("details").at("reason"), "No.");
}

TEST_F(Endpoint, ListsRecentAndPopularItems) {
  REQUIRE_CALL(catalog, recent(_, 10u, _)).RETURN(list(item(), _3));
  EXPECT_EQ(get("/recent").body, std::string(R"({"success":true,"data":[)") + kSummary + "}]}");
  REQUIRE_CALL(catalog, popular(_, ports::Period::Month, 2u, _))
      .SIDE_EFFECT(const model::ItemView shown = item(); _4(ports::PopularItem{&shown, 4}))
      .RETURN(Status());
  EXPECT_EQ(get("/popular?period=month&limit=2").body,
            std::string(R"({"success":true,"data":[)") + kSummary + R"(,"period_views":4}]})");
}

TEST_F(Endpoint, RejectsInvalidParameters) {
  for (const char* path : {"/recent?limit=",
                           "/recent?limit=+5",
                           "/recent?limit=5x",
                           "/recent?limit=-1",
                           "/recent?limit=1&limit=1",
                           "/recent?limit=1&l%69mit=1",
                           "/popular?period=year",
                           "/popular?period=Week",
                           "/categories?include_counts=yes",
                           "/categories?include_counts",
                           "/categories?offset=%",
                           "/search?q=ab&sort=",
                           "/search?q=ab&match=some",
                           "/search?q=ab&facets=tags",
                           "/search?q=ab&facets=",
                           "/search?q=ab&fields=",
                           "/search?q=ab&updated_to=",
                           "/search?q=ab&facets=tag,",
                           "/search?q=ab&fields=id,,title",
                           "/search?q=ab&fields=content",
                           "/search?q=ab&highlight=1",
                           "/search?q=ab&updated_from=today",
                           "/search?q=ab&updated_to=2026-02-30",
                           "/item/x?fields=excerpt",
                           "/item/x/related?limit=a",
                           "/recent?fields=content",
                           "/recent?fields=stored",
                           "/category/x?include_items=true&fields=period_views",
                           "/popular?fields=stored",
                           "/item/x/related?fields=period_views",
                           "/suggest",
                           "/suggest?q=ab&limit=a",
                           "/search?q=%ff",
                           "/search?q=%zz",
                           "/search?q=ab&q=cd",
                           "/search",
                           "/search?category=c"}) {
    const HttpAnswer answer = get(path);
    EXPECT_EQ(answer.status, 400) << path;
    EXPECT_EQ(answer.error_code(), "INVALID_PARAMETER") << path;
    EXPECT_EQ(answer.field("cache-control"), "no-store");
  }
}

TEST_F(Endpoint, SearchesAndDescribesTheSearch) {
  REQUIRE_CALL(search, validator(_, model::Sort::Date)).LR_RETURN(validator);
  ports::SearchHit described{"i", "t", "c", "e", 1.0};
  constexpr std::string_view kTags[] = {"a", "b"};
  described.has_row = true;
  described.updated = *model::parse_day("2026-01-03");
  described.url = "https://example.org/i";
  described.tags = kTags;
  described.views = 7;
  described.section = {"The heading", "the-heading"};
  described.language = "en";
  described.version = "2";
  ports::SearchPage page;
  page.total = 41;
  page.next_offset = 25;
  page.rule = model::MatchRule::AnyWord;
  page.corrections = {{"grüß", "gruss"}, {"a=b", "c,d"}};
  page.validator = validator;
  REQUIRE_CALL(search, search(_, _, _))
      .WITH(_2.q == "a b+c" && _2.filter == ports::SearchFilter{.category = "c/1"} && _2.limit == 5 &&
            _2.offset == 20 && _2.fallback_below == model::kAlwaysAnyWord)
      .LR_SIDE_EFFECT(_3(described))
      .SIDE_EFFECT(_3(ports::SearchHit{"j", "t", "c", "e", 0.25}))
      .LR_RETURN(page);
  const HttpAnswer answer = get("/search?q=a+b%2Bc&category=c/1&limit=5&offset=20&sort=date&match=any");
  EXPECT_EQ(answer.body,
            R"({"success":true,"data":[{"id":"i","title":"t","category":"c","excerpt":"e","relevance":1.0,)"
            R"("url":"https://example.org/i","section":{"heading":"The heading","anchor":"the-heading"},)"
            R"("updated":"2026-01-03","tags":["a","b"],"views":7},)"
            R"({"id":"j","title":"t","category":"c","excerpt":"e","relevance":0.25,)"
            R"("url":null,"section":null,"updated":"1970-01-01","tags":[],"views":0}],)"
            R"("pagination":{"total":41,"limit":5,"offset":20,"next_offset":25}})");
  EXPECT_EQ(answer.field("x-search-match"), "any");
  EXPECT_EQ(answer.field("x-search-corrected"), "gr%C3%BC%C3%9F=gruss, a%3Db=c%2Cd");
}

TEST_F(Endpoint, FiltersCountsAndHighlights) {
  ALLOW_CALL(search, validator(_, _)).LR_RETURN(validator);
  ports::SearchPage page;
  page.did_you_mean = "c, d";
  page.counted_facets = {.categories = true, .tags = true};
  page.facets = {.categories = {{"c", 2}}, .tags = {{"t \"q\"", 1}}};
  page.validator = validator;
  static constexpr model::Highlight kTitleMarks[] = {{0, 1}};
  static constexpr model::Highlight kExcerptMarks[] = {{2, 4}, {5, 6}};
  REQUIRE_CALL(search, search(_, _, _))
      .WITH((_2.filter == ports::SearchFilter{.tag = "a,b",
                                              .updated_from = model::parse_day("2026-01-02"),
                                              .updated_to = model::parse_day("2026-01-03")}))
      .WITH(_2.facets.categories && _2.facets.tags && _2.highlights)
      .SIDE_EFFECT(_3(ports::SearchHit{"i", "t", "c", "a éb c", 1.0, kTitleMarks, kExcerptMarks}))
      .LR_RETURN(page);
  const HttpAnswer answer =
      get("/search?q=ab&tag=a,b&updated_from=2026-01-02&updated_to=2026-01-03&facets=tag,category&highlight=true&"
          "category=");
  EXPECT_EQ(answer.body,
            R"({"success":true,"data":[{"id":"i","title":"t","category":"c","excerpt":"a éb c","relevance":1.0,)"
            R"("url":null,"section":null,"updated":"1970-01-01","tags":[],"views":0,)"
            R"("title_parts":[{"text":"t","match":true}],)"
            R"("excerpt_parts":[{"text":"a ","match":false},{"text":"é","match":true},{"text":"b","match":false},)"
            R"({"text":" ","match":true},{"text":"c","match":false}]}],)"
            R"("pagination":{"total":0,"limit":20,"offset":0,"next_offset":null},)"
            R"("facets":{"category":[{"value":"c","count":2}],"tag":[{"value":"t \"q\"","count":1}]}})");
  EXPECT_EQ(answer.field("x-search-did-you-mean"), "c%2C%20d");
}

TEST_F(Endpoint, ReportsWhatOfAQueryWasRelaxed) {
  ALLOW_CALL(search, validator(_, _)).LR_RETURN(validator);
  ports::SearchPage page;
  page.relaxed = {.length = true, .phrase = true, .exclusion = true};
  page.validator = validator;
  REQUIRE_CALL(search, search(_, _, _)).WITH(_2.last_word == model::LastWord::Beginning).LR_RETURN(page);
  EXPECT_EQ(get("/search?q=ab&prefix=last").field("x-search-relaxed"), "length, phrase, exclusion");
}

TEST_F(Endpoint, RejectsParametersThatAreMisspelled) {
  ALLOW_CALL(search, validator(_, _)).LR_RETURN(validator);
  for (const char* query : {"limt=5", "Limit=5", "tags=a", "offest=1", "categorys=x", "li%6Dt=5"}) {
    const HttpAnswer answer = get("/search?q=ab&" + std::string(query));
    EXPECT_EQ(answer.status, 400) << query;
    EXPECT_NE(answer.body.find("is not a parameter; did you mean "), std::string::npos) << answer.body;
  }
  ports::SearchPage page;
  page.validator = validator;
  ALLOW_CALL(search, search(_, _, _)).LR_RETURN(page);
  for (const char* query : {"_=1", "v=2", "utm_source=x", "=", "&&"})
    EXPECT_EQ(get("/search?q=ab&" + std::string(query)).status, 200) << query;
}

TEST_F(Endpoint, SelectsByRepeatedParametersAndNamesTheOthersOfATitle) {
  ALLOW_CALL(search, validator(_, _)).LR_RETURN(validator);
  ports::SearchPage page;
  page.total = 2;
  page.validator = validator;
  static constexpr std::string_view kCategories[] = {"b"}, kTags[] = {"u", "v"};
  static constexpr ports::NamesakeView kNamesakes[] = {{"j", "de", "2"}};
  ports::SearchHit hit{"i", "t", "c", "e", 1.0};
  hit.namesakes = kNamesakes;
  REQUIRE_CALL(search, search(_, _, _))
      .WITH((_2.filter == ports::SearchFilter{.category = "a",
                                              .tag = "t",
                                              .further_categories = kCategories,
                                              .further_tags = kTags,
                                              .language = "en",
                                              .version = "1"}))
      .WITH(_2.includes_subcategories && _2.collapses_titles)
      .LR_SIDE_EFFECT(_3(hit))
      .LR_RETURN(page);
  const HttpAnswer answer =
      get("/search?q=ab&category=a&category=b&category=&tag=t&tag=u&tag=v&language=en&version=1&subcategories=true&"
          "collapse=title&fields=id,also");
  EXPECT_EQ(answer.body, R"({"success":true,"data":[{"id":"i","also":[{"id":"j","language":"de","version":"2"}]}],)"
                         R"("pagination":{"total":2,"limit":20,"offset":0,"next_offset":null}})");
}

TEST_F(Endpoint, RejectsParametersThatMayNotBeRepeated) {
  for (const char* target :
       {"/search?q=ab&q=cd", "/search?q=ab&language=en&language=de", "/search?q=ab&limit=1&limit=2"})
    EXPECT_EQ(get(target).status, 400) << target;
  std::string many = "/search?q=ab";
  for (int i = 0; i < 101; ++i) many += "&tag=t";
  EXPECT_EQ(get(many).json()["error"]["message"], "tag is given more than 100 times");
}

TEST_F(Endpoint, OmitsFacetsThatAreNotCounted) {
  ALLOW_CALL(search, validator(_, _)).LR_RETURN(validator);
  ALLOW_CALL(search, search(_, _, _)).RETURN(ports::SearchPage{});
  EXPECT_FALSE(get("/search?q=ab&facets=tag").json().contains("facets"));
}

TEST_F(Endpoint, Returns501IfTheIndexDoesNotSupportTheFilter) {
  ALLOW_CALL(search, validator(_, _)).LR_RETURN(validator);
  ALLOW_CALL(search, search(_, _, _)).RETURN(error(ErrorCode::Unsupported));
  const HttpAnswer answer = get("/search?q=ab&tag=a");
  EXPECT_EQ(answer.status, 501);
  EXPECT_EQ(answer.error_code(), "NOT_IMPLEMENTED");
  EXPECT_EQ(answer.json().at("error").at("message"), "No.");
}

TEST_F(Endpoint, ReturnsOnlyRequestedFields) {
  ALLOW_CALL(search, validator(_, _)).LR_RETURN(validator);
  ALLOW_CALL(search, search(_, _, _))
      .SIDE_EFFECT(_3(ports::SearchHit{"i", "t", "c", "e", 1.0}))
      .RETURN(ports::SearchPage{});
  EXPECT_EQ(get("/search?q=ab&fields=title,id").json().at("data").dump(), R"([{"id":"i","title":"t"}])");
  ALLOW_CALL(catalog, item(_, "x", _)).RETURN(show(item(), _3));
  ALLOW_CALL(catalog, count_view("x"));
  EXPECT_EQ(get("/item/x?fields=tags,related").json().at("data").dump(), R"({"related":["y"],"tags":["a","b"]})");
  ALLOW_CALL(catalog, recent(_, _, _)).RETURN(list(item(), _3));
  EXPECT_EQ(get("/recent?fields=excerpt").json().at("data").dump(), R"([{"excerpt":"lead"}])");
  EXPECT_NE(send("HEAD", "/recent?fields=excerpt").field("etag"), send("HEAD", "/recent").field("etag"));
}

TEST_F(Endpoint, HighlightsMatchesIfRequested) {
  ALLOW_CALL(search, validator(_, _)).LR_RETURN(validator);
  REQUIRE_CALL(search, search(_, _, _))
      .WITH(_2.highlights)
      .SIDE_EFFECT(_3(ports::SearchHit{"i", "t", "c", "e", 1.0}))
      .RETURN(ports::SearchPage{});
  EXPECT_EQ(get("/search?q=ab&fields=title_parts").json().at("data").dump(),
            R"([{"title_parts":[{"match":false,"text":"t"}]}])");
}

TEST_F(Endpoint, ReportsInvalidRequestsBeforeUnavailableServices) {
  const Error down = error(ErrorCode::Unavailable);
  ALLOW_CALL(search, validator(_, _)).LR_RETURN(down);
  ALLOW_CALL(search, search(_, _, _)).RETURN(error(ErrorCode::InvalidArgument, "q"));
  ALLOW_CALL(search, suggest(_, _, _, _)).RETURN(error(ErrorCode::InvalidArgument, "limit"));
  ALLOW_CALL(catalog, related_validator(_)).LR_RETURN(down);
  ALLOW_CALL(catalog, related(_, _, _, _)).RETURN(error(ErrorCode::InvalidArgument, "limit"));
  for (const char* path : {"/search?q=a", "/suggest?q=ab&limit=21", "/item/x/related?limit=51"})
    EXPECT_EQ(get(path).status, 400) << path;
  ALLOW_CALL(catalog, related(_, _, _, _)).RETURN(Status());
  EXPECT_EQ(get("/item/x/related").status, 503);
}

TEST_F(Endpoint, Suggests) {
  REQUIRE_CALL(search, validator(_, model::Sort::Relevance)).LR_RETURN(validator);
  REQUIRE_CALL(search, suggest(_, "rate li", 8u, _))
      .SIDE_EFFECT(_4(ports::Suggestion{"rate limit", {}}))
      .SIDE_EFFECT(_4(ports::Suggestion{"Rate limits", "r/l"}))
      .RETURN(Status());
  EXPECT_EQ(get("/suggest?q=rate+li").body, R"({"success":true,"data":[{"text":"rate limit","kind":"query"},)"
                                            R"({"text":"Rate limits","kind":"title","id":"r/l"}]})");
}

TEST_F(Endpoint, ListsRelatedItemsAndMarksStoredOnes) {
  REQUIRE_CALL(catalog, related_validator(_)).LR_RETURN(validator);
  const model::ItemView shown = item();
  REQUIRE_CALL(catalog, related(_, "a/b", 3u, _)).LR_SIDE_EFFECT(_4(ports::RelatedItem{&shown, true})).RETURN(Status());
  EXPECT_EQ(get("/item/a%2Fb/related/?limit=3").body,
            std::string(R"({"success":true,"data":[)") + kSummary + R"(,"stored":true}]})");
}

TEST_F(Endpoint, AnswersAConditionalSearchWithoutSearching) {
  ALLOW_CALL(search, validator(_, _)).LR_RETURN(validator);
  ports::SearchPage page;
  page.validator = validator;
  std::string tag;
  {
    REQUIRE_CALL(search, search(_, _, _)).LR_RETURN(page);
    const HttpAnswer answer = get("/search?q=ab");
    tag = answer.field("etag");
    EXPECT_EQ(answer.field("x-search-match"), "all");
    EXPECT_EQ(answer.field("x-search-corrected"), "(absent)");
    EXPECT_TRUE(answer.json().at("pagination").at("next_offset").is_null());
  }
  EXPECT_EQ(get("/search?q=ab&limit=20&ignored=1", "If-None-Match: " + tag + "\r\n").status, 304);
  REQUIRE_CALL(search, search(_, _, _)).LR_RETURN(page);
  EXPECT_EQ(get("/search?q=ab&limit=21", "If-None-Match: " + tag + "\r\n").status, 200);
  validator.content_revision = 10;
  REQUIRE_CALL(search, search(_, _, _)).LR_RETURN(page);
  EXPECT_EQ(get("/search?q=ab", "If-None-Match: *\r\n").status, 304);
}

TEST_F(Endpoint, DerivesTheEntityTagFromEachRevision) {
  ALLOW_CALL(catalog, popular(_, _, _, _)).RETURN(Status());
  const auto tag = [this] { return get("/popular").field("etag"); };
  const ports::Validator state = validator;
  const std::string first = tag();
  std::set<std::string> tags{first};
  validator.content_revision = 8;
  tags.insert(tag());
  validator = state;
  validator.views_revision = 1;
  tags.insert(tag());
  validator = state;
  validator.index_revision = 1;
  tags.insert(tag());
  validator = state;
  validator.index_store_id = {1};
  tags.insert(tag());
  EXPECT_EQ(tags.size(), 5U);
  validator = state;
  EXPECT_EQ(tag(), first);
}

TEST_F(Endpoint, ReportsStatistics) {
  REQUIRE_CALL(statistics, validator(_)).LR_RETURN(validator);
  ports::StatisticsReport report;
  report.totals = {3, 2, 11, 1};
  report.popular_categories = {{"C", 9}};
  report.daily_activity = {{*model::parse_day("2026-03-13"), 0}, {*model::parse_day("2026-03-14"), 4}};
  REQUIRE_CALL(statistics, report(_)).LR_RETURN(report);
  EXPECT_EQ(get("/stats").body,
            R"({"success":true,"data":{"total_items":3,"total_categories":2,"total_views":11,"recent_additions":1,)"
            R"("popular_categories":[{"name":"C","views":9}],)"
            R"("daily_activity":{"2026-03-13":0,"2026-03-14":4}}})");
}

TEST_F(Endpoint, ReportsHealthWithoutAnEnvelope) {
  ports::HealthReport report;
  report.now = clock.now();
  ALLOW_CALL(health, report()).LR_RETURN(report);
  const HttpAnswer answer = get("/health");
  EXPECT_EQ(answer.body,
            R"({"status":"healthy","timestamp":"2026-03-14T12:00:00Z","version":"1.0.0","services":)"
            R"({"database":"connected","cache":"disabled","external_apis":{"codehost":"disabled","llm":"disabled"}}})");
  EXPECT_EQ(answer.field("cache-control"), "no-store");
  EXPECT_EQ(answer.field("etag"), "(absent)");
  report.condition = ports::HealthReport::Condition::Unhealthy;
  report.storage = ports::ServiceState::Down;
  report.llm = ports::ServiceState::Up;
  const HttpAnswer down = get("/health");
  EXPECT_EQ(down.status, 503);
  EXPECT_EQ(down.json().at("status"), "unhealthy");
  EXPECT_EQ(down.json().at("services").at("database"), "disconnected");
  EXPECT_EQ(down.json().at("services").at("external_apis").at("llm"), "available");
}

TEST_F(Endpoint, ReturnsACachedUserOfTheCodeHost) {
  REQUIRE_CALL(users, find_cached("ada lovelace"))
      .RETURN(ports::UserReply{R"({"profile":{}})", std::chrono::seconds(7)});
  const HttpAnswer answer = get("/external/codehost/ada%20lovelace");
  EXPECT_EQ(answer.status, 200);
  EXPECT_EQ(answer.body, R"({"success":true,"data":{"profile":{}}})");
  EXPECT_EQ(answer.field("age"), "7");
  EXPECT_EQ(answer.field("cache-control"), "no-store");
}

TEST_F(Endpoint, LooksUpAUserOfTheCodeHost) {
  ports::Admission keyed = admitted(clock.now());
  keyed.has_key = true;
  ALLOW_CALL(access, admit(_, _, _)).LR_RETURN(keyed);
  ALLOW_CALL(users, find_cached("ada")).RETURN(std::nullopt);
  REQUIRE_CALL(users, look_up(_, _, "ada"))
      .WITH(_2.client_id == model::ClientId{7} && _2.has_key)
      .RETURN(ports::UserReply{"{}", std::nullopt});
  const HttpAnswer answer = get("/external/codehost/ada");
  EXPECT_EQ(answer.body, R"({"success":true,"data":{}})");
  EXPECT_EQ(answer.field("age"), "(absent)");
}

TEST_F(Endpoint, ValidatesAndPassesACompletionRequest) {
  ports::Admission keyed = admitted(clock.now());
  keyed.has_key = true;
  ALLOW_CALL(access, admit(_, _, _)).LR_RETURN(keyed);
  const std::string deep(1000, '[');
  for (const std::string& body : {std::string("{"), std::string("7"), std::string("\xFF"), deep, std::string("{} {}")})
    EXPECT_EQ(send("POST", "/external/llm", "", body).error_code(), "INVALID_BODY") << body;
  EXPECT_NE(send("POST", "/external/llm", "", deep).body.find("more than 64 levels of nesting"), std::string::npos);
  EXPECT_NE(send("POST", "/external/llm", "", R"({"prompt":"p","temperature":1e400})").body.find("number that is too"),
            std::string::npos);
  const std::pair<const char*, const char*> wrong[] = {{R"({})", "prompt"},
                                                       {R"({"prompt":""})", "prompt"},
                                                       {R"({"prompt":7})", "prompt"},
                                                       {R"({"prompt":"p","model":null})", "model"},
                                                       {R"({"prompt":"p","max_tokens":0})", "max_tokens"},
                                                       {R"({"prompt":"p","max_tokens":1.5})", "max_tokens"},
                                                       {R"({"prompt":"p","max_tokens":1e300})", "max_tokens"},
                                                       {R"({"prompt":"p","max_tokens":-1})", "max_tokens"},
                                                       {R"({"prompt":"p","temperature":2.1})", "temperature"},
                                                       {R"({"prompt":"p","temperature":"1"})", "temperature"},
                                                       {R"({"prompt":"p","stream":1})", "stream"}};
  for (const auto& [body, parameter] : wrong)
    EXPECT_EQ(send("POST", "/external/llm", "", body).json().at("error").at("details").at("parameter"), parameter);
  REQUIRE_CALL(completions, complete(_, _, _, _))
      .WITH(_3.prompt == "p" && _3.model == "m" && _3.max_tokens == 5u && _3.temperature == 0.5 && _3.stream)
      .RETURN(error(ErrorCode::Unavailable));
  const HttpAnswer answer =
      send("POST", "/external/llm", "",
           R"({"prompt":"p","model":"m","max_tokens":5.0,"temperature":0.5,"stream":true,"unknown":[]})");
  EXPECT_EQ(answer.error_code(), "SERVICE_UNAVAILABLE");
  EXPECT_NE(answer.field("retry-after"), "(absent)");
}

TEST_F(Endpoint, CompletesAPrompt) {
  ports::Admission keyed = admitted(clock.now());
  keyed.has_key = true;
  keyed.plan.llm_tokens_per_day = 50'000;
  ALLOW_CALL(access, admit(_, _, _)).LR_RETURN(keyed);
  const ports::Completions::Outcome done = ports::Completion{"small-1", ports::FinishReason::Length, 3, 5};
  REQUIRE_CALL(completions, complete(_, _, _, _))
      .WITH(_2.client_id == model::ClientId{7} && _2.has_key && _2.tokens_per_day == 50'000 && !_3.stream)
      .LR_SIDE_EFFECT(_4("Be"))
      .LR_SIDE_EFFECT(_4("cause."))
      .RETURN(done);
  const HttpAnswer answer = send("POST", "/external/llm", "", R"({"prompt":"p"})");
  EXPECT_EQ(answer.status, 200);
  EXPECT_EQ(answer.body,
            R"({"success":true,"data":{"model":"small-1","completion":"Because.","finish_reason":"length",)"
            R"("usage":{"prompt_tokens":3,"completion_tokens":5,"total_tokens":8}}})");
  EXPECT_EQ(answer.field("cache-control"), "no-store");
}

TEST_F(Endpoint, CompressesLongBodiesIfTheClientAcceptsIt) {
  model::ItemView shown = item();
  const std::string content(3000, 'c');
  shown.content = content;
  ALLOW_CALL(catalog, item(_, "x", _)).LR_RETURN(show(shown, _3));
  ALLOW_CALL(catalog, count_view(_));
  const HttpAnswer plain = get("/item/x");
  EXPECT_EQ(plain.field("content-encoding"), "(absent)");
  for (const char* accept : {"gzip", "br, GZIP;q=0.5", "*", "x-gzip"}) {
    const HttpAnswer packed = get("/item/x", "Accept-Encoding: " + std::string(accept) + "\r\n");
    EXPECT_EQ(packed.field("content-encoding"), "gzip") << accept;
    EXPECT_EQ(unpacked(packed.body), plain.body);
    EXPECT_EQ(packed.field("content-length"), std::to_string(packed.body.size()));
    EXPECT_EQ(packed.field("etag"), plain.field("etag"));
    EXPECT_EQ(packed.field("vary"), "Accept-Encoding");
  }
  for (const char* accept : {"gzip;q=0", "gzip;q=0.000, *", "identity", "*;q=0", ""})
    EXPECT_EQ(get("/item/x", "Accept-Encoding: " + std::string(accept) + "\r\n").field("content-encoding"), "(absent)")
        << accept;
  shown.content = "short";
  EXPECT_EQ(get("/item/x", "Accept-Encoding: gzip\r\n").field("content-encoding"), "(absent)");
}

}  // namespace
}  // namespace kbase::tests
