// SPDX-License-Identifier: Apache-2.0
// The pages that the server makes for readers, as far as they can be tested without a browser.
#include <gtest/gtest.h>

#include "tests/e2e/expectations.hpp"
#include "tests/e2e/knowledge_base.hpp"

namespace kbase::tests {
namespace {

Response page(Client& web, const std::string& path, std::vector<std::string> fields = {}) {
  return web.send({.target = "", .fields = std::move(fields), .body = {}, .whole_target = path});
}

bool has(const Response& shown, std::string_view text) { return shown.body.find(text) != std::string::npos; }

class Pages : public testing::Test {
 protected:
  static std::filesystem::path write_content(const KnowledgeBase& base) {
    return base.write(
        "docs/start.md",
        "---\ntitle: Start <here>\ndescription: How to begin & go on.\ntags: [first]\n---\n\n# Start <here>\n\nRead "
        "the [setup](setup.md#options).\n\n<script>alert(1)</script>\n");
  }
};

TEST_F(Pages, OfTheFixtureAreWholeWithoutAScript) {
  const ServedBase base(BackEnds{Storage::Sqlite});
  Client web = base.client();
  const Response home = page(web, "/");
  EXPECT_EQ(home.status, 200);
  EXPECT_EQ(home.field("content-type"), "text/html; charset=utf-8");
  EXPECT_TRUE(has(home, "<a href=\"/category/astronomy\">Astronomy</a>")) << home.body;
  const Response item = page(web, "/item/venus");
  EXPECT_EQ(item.status, 200);
  EXPECT_TRUE(has(item, "<h1>Venus</h1>")) << item.body;
  EXPECT_TRUE(has(item, "the hottest planet of all")) << item.body;
  EXPECT_TRUE(has(item, "<title>Venus · Knowledge base</title>")) << item.body;
  EXPECT_TRUE(has(item, "\"@type\":\"TechArticle\"")) << item.body;
  EXPECT_TRUE(has(item, "\"@type\":\"BreadcrumbList\"")) << item.body;
  const Response found = page(web, "/search?q=planet");
  EXPECT_EQ(found.status, 200);
  EXPECT_TRUE(has(found, "href=\"/item/venus")) << found.body;
  EXPECT_TRUE(has(found, "<mark>planet</mark>")) << found.body;
  const Response category = page(web, "/category/planets");
  EXPECT_TRUE(has(category, "href=\"/item/mercury\"")) << category.body;
  for (const char* path : {"/popular", "/recent", "/search", "/feed.atom", "/sitemap.xml", "/llms.txt", "/robots.txt",
                           "/opensearch.xml", "/item/venus.md"})
    EXPECT_EQ(page(web, path).status, 200) << path;
}

TEST_F(Pages, ShowLinksOfAFolderAndNoScriptOfAnArticle) {
  const KnowledgeBase base(BackEnds{Storage::Sqlite});
  write_content(base);
  base.write("docs/setup.md", "# Setup\n\ntext\n\n## Options\n\ntext\n");
  base.import(base.folder() / "docs");
  const ServerProcess server = base.serve();
  Client web(server.base_url());
  const Response shown = page(web, "/item/start");
  ASSERT_EQ(shown.status, 200) << shown.body;
  EXPECT_TRUE(has(shown, "<h1>Start &lt;here&gt;</h1>")) << shown.body;
  EXPECT_TRUE(has(shown, "<a href=\"/item/setup#options\">setup</a>")) << shown.body;
  EXPECT_TRUE(has(shown, "<meta name=\"description\" content=\"How to begin &amp; go on.\">")) << shown.body;
  EXPECT_FALSE(has(shown, "alert(1)</script>")) << shown.body;
}

TEST_F(Pages, SayWhyThereIsNone) {
  const ServedBase base(BackEnds{Storage::Sqlite});
  Client web = base.client();
  const Response missing = page(web, "/item/no-such-item");
  EXPECT_EQ(missing.status, 404);
  EXPECT_EQ(missing.field("content-type"), "text/html; charset=utf-8");
  EXPECT_TRUE(has(missing, "There is no such page")) << missing.body;
  const Response unknown = page(web, "/nowhere", {"Accept: text/html,*/*;q=0.8"});
  EXPECT_EQ(unknown.status, 404);
  EXPECT_TRUE(has(unknown, "There is no such page")) << unknown.body;
  expect_error(page(web, "/nowhere"), 404, "NOT_FOUND");
}

TEST_F(Pages, OfVersion1AreRedirected) {
  const ServedBase base(BackEnds{Storage::Sqlite});
  Client web = base.client();
  const auto location = [&web](const char* path) {
    const Response moved = page(web, path);
    EXPECT_EQ(moved.status, 301) << path;
    return moved.field("location");
  };
  EXPECT_EQ(location("/?item=a%2Fb%20c"), "/item/a/b%20c");
  EXPECT_EQ(location("/?category=planets"), "/category/planets");
  EXPECT_EQ(location("/?q=two+words"), "/search?q=two%20words");
}

TEST_F(Pages, AreNotSentAgainWhileNothingChanges) {
  const ServedBase base(BackEnds{Storage::Sqlite});
  Client web = base.client();
  for (const char* path : {"/item/venus", "/search?q=planet", "/category/planets"}) {
    const std::string tag = page(web, path).field("etag");
    EXPECT_NE(tag, "");
    EXPECT_EQ(page(web, path, {"If-None-Match: " + tag}).status, 304) << path;
  }
}

TEST_F(Pages, AreSentAgainAfterAChangeOfTheSite) {
  const KnowledgeBase base(BackEnds{Storage::Sqlite}, fixture_corpus_file());
  std::string tag;
  const auto status_with = [&](const std::string& title) {
    const ServerProcess server =
        base.serve({"--set", "explorer.url=https://docs.example.org", "--set", "explorer.title=" + title});
    Client web(server.base_url());
    const Response shown = page(web, "/category/planets", {"If-None-Match: " + tag});
    tag = shown.field("etag");
    return shown.status;
  };
  EXPECT_EQ(status_with("One"), 200);
  EXPECT_EQ(status_with("One"), 304);
  EXPECT_EQ(status_with("Other"), 200);
}

TEST_F(Pages, LetReadersChooseALanguageWhereThereAreSeveral) {
  const KnowledgeBase base(BackEnds{Storage::Sqlite});
  const auto item = [](const std::string& id, const std::string& language) {
    return R"({"id":")" + id + R"(","title":"Lamp","category":"c","content":"A lamp.","language":")" + language +
           R"(","version":"1"})" + '\n';
  };
  base.import(base.write("items.jsonl", item("a", "en") + item("b", "en-US") + item("c", "de") + item("d", "")));
  const ServerProcess server = base.serve();
  Client web(server.base_url());
  const Response found = page(web, "/search?q=lamp");
  EXPECT_TRUE(has(found, "data-language-tag=\"de\">")) << found.body;
  EXPECT_TRUE(has(found, "/search?q=lamp&amp;language=en\"")) << found.body;
  EXPECT_FALSE(has(found, "facet-version")) << "there is one version only";
  const Response german = page(web, "/search?q=lamp&language=de");
  EXPECT_TRUE(has(german, "href=\"/item/c")) << german.body;
  EXPECT_FALSE(has(german, "href=\"/item/a")) << german.body;
  EXPECT_TRUE(has(german, "/search?q=lamp&amp;language=en\"")) << "another language can be chosen: " << german.body;
  EXPECT_EQ(json::parse(web.get("/search?q=lamp&facets=language,version&limit=1").body).at("facets"),
            json::parse(R"({"language":[{"value":"en","count":2},{"value":"de","count":1},{"value":"en-us","count":1}],
                            "version":[{"value":"1","count":4}]})"));
}

TEST_F(Pages, OfAnEmptyBaseSayHowToFillIt) {
  const KnowledgeBase base(BackEnds{Storage::Sqlite});
  const ServerProcess server = base.serve();
  Client web(server.base_url());
  EXPECT_TRUE(has(page(web, "/"), "kbase import FOLDER"));
  base.write("site/en/guide/a.md", "# A\n\nText.\n");
  base.write("site/en/tour/b.md", "# B\n\nText.\n");
  base.import(base.folder() / "site");
  const Response home = page(web, "/");
  EXPECT_FALSE(has(home, "kbase import FOLDER"));
  EXPECT_TRUE(has(home, "<h3><a href=\"/category/en/guide\">Guide</a></h3>"))
      << "categories that are alone on their level are left out: " << home.body;
}

TEST_F(Pages, LinkToTheSourceOfAPage) {
  const KnowledgeBase base(BackEnds{Storage::Sqlite});
  base.write("site/mkdocs.yml", "site_name: Lamps\nrepo_url: https://github.com/example/lamps\n");
  base.write("site/docs/set up.md", "# Setup\n\nPlug it in.\n");
  base.import(base.folder() / "site");
  const ServerProcess server = base.serve();
  Client web(server.base_url());
  const Response item = page(web, "/item/set%20up");
  EXPECT_TRUE(has(item, "<a href=\"https://github.com/example/lamps/edit/master/docs/set%20up.md\"")) << item.body;
}

TEST_F(Pages, AskForWordsIfTheQueryIsTooShort) {
  const ServedBase base(BackEnds{Storage::Sqlite});
  Client web = base.client();
  for (const char* path : {"/search?q=a", "/search?q=%20", "/search"}) {
    const Response shown = page(web, path);
    EXPECT_EQ(shown.status, 200) << path;
    EXPECT_TRUE(has(shown, "at least two characters")) << shown.body;
  }
}

TEST_F(Pages, CountByThePlanOfVisitors) {
  const ServedBase base(BackEnds{Storage::Sqlite}, fixture_corpus_file(), Quota::Builtin);
  Client web = base.client();
  EXPECT_EQ(page(web, "/item/venus").field("x-ratelimit-limit"), "120");
  EXPECT_EQ(page(web, "/item/venus").field("x-ratelimit-remaining"), "118");
  EXPECT_EQ(web.get("/recent").field("x-ratelimit-remaining"), "9") << "a program counts for itself";
}

TEST_F(Pages, GiveACookieByWhichTheirScriptsCountAsTheirVisitor) {
  const ServedBase base(BackEnds{Storage::Sqlite}, fixture_corpus_file(), Quota::Builtin);
  Client web = base.client();
  const std::string given = page(web, "/item/venus").field("set-cookie");
  EXPECT_TRUE(given.starts_with("kbase_visitor=")) << given;
  EXPECT_TRUE(given.ends_with("; Max-Age=3600; Path=/; HttpOnly; SameSite=Strict")) << given;
  const std::string cookie = "Cookie: a=b; " + given.substr(0, given.find(';'));
  EXPECT_FALSE(page(web, "/item/venus", {cookie}).has("set-cookie")) << "it is not renewed in its first half";
  const auto limit = [&web](std::vector<std::string> fields) {
    return web.send({.target = "/recent", .fields = std::move(fields), .body = {}, .whole_target = {}})
        .field("x-ratelimit-limit");
  };
  EXPECT_EQ(limit({cookie}), "120");
  EXPECT_EQ(limit({cookie, "Sec-Fetch-Site: same-origin"}), "120");
  EXPECT_EQ(limit({cookie, "Sec-Fetch-Site: cross-site"}), "10");
  std::string forged = cookie;
  forged.back() = forged.back() == '0' ? '1' : '0';
  EXPECT_EQ(limit({forged}), "10");
  EXPECT_EQ(limit({"Cookie: kbase_visitor=9999999999.x"}), "10");
  EXPECT_FALSE(page(web, "/robots.txt").has("set-cookie"));
}

TEST_F(Pages, CountByThePublicPlanIfThatIsSet) {
  const ServedBase base(BackEnds{Storage::Sqlite}, fixture_corpus_file(), Quota::Builtin,
                        {"--set", "explorer.plan=public"});
  Client web = base.client();
  const Response shown = page(web, "/item/venus");
  EXPECT_EQ(shown.field("x-ratelimit-limit"), "10");
  EXPECT_FALSE(shown.has("set-cookie"));
  EXPECT_EQ(web.get("/recent").field("x-ratelimit-remaining"), "8") << "a page and a request count together";
}

TEST_F(Pages, AtTheLimitSayWhenTheyAskAgain) {
  const ServedBase base(BackEnds{Storage::Sqlite}, fixture_corpus_file(), Quota::Builtin,
                        {"--set", "plans.visitor.per_minute=1"});
  Client web = base.client();
  EXPECT_EQ(page(web, "/item/venus").status, 200);
  const Response denied = page(web, "/item/venus");
  EXPECT_EQ(denied.status, 429);
  EXPECT_EQ(denied.field("content-type"), "text/html; charset=utf-8");
  EXPECT_TRUE(denied.has("retry-after"));
  EXPECT_TRUE(has(denied, "This page tries again in")) << denied.body;
}

}  // namespace
}  // namespace kbase::tests
