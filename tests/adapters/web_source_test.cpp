// SPDX-License-Identifier: Apache-2.0
#include "adapters/web/web_source.hpp"

#include <gtest/gtest.h>

#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "adapters/markup/library_markup.hpp"
#include "plugins/conformance/fixtures.hpp"
#include "tests/adapters/content_sources.hpp"
#include "tests/support/temporary_folder.hpp"

namespace kbase::web {
namespace {

using Reply = conformance::FakeUpstream::Reply;
constexpr std::string_view kOrigin = "https://docs.example.org";

Reply page(const std::string& body, const std::string& etag = {}) {
  Reply reply{200, {{"content-type", "text/html; charset=utf-8"}}, body};
  if (!etag.empty()) reply.fields.emplace_back("etag", etag);
  return reply;
}

Reply xml(const std::string& body) { return {200, {{"content-type", "application/xml"}}, body}; }

Reply moved(const std::string& location) { return {301, {{"location", location}}, {}}; }

/// The client of a source; the site outlives it.
class SiteClient final : public ports::HttpClient {
 public:
  explicit SiteClient(ports::HttpClient& site) : site_(site) {}
  Result<std::unique_ptr<ports::HttpExchange>> open(ports::Call& call, const ports::HttpRequest& request) override {
    return site_.open(call, request);
  }

 private:
  ports::HttpClient& site_;
};

/// A site whose pages a test writes. It answers 304 to a request with the current ETag.
class WebSourceTest : public testing::Test {
 protected:
  WebSourceTest() {
    site_.set_handler([this](const ports::HttpRequest& request) {
      const std::string target(request.url.substr(kOrigin.size()));
      asked_.push_back(target);
      const auto found = pages_.find(target);
      if (found == pages_.end()) return Reply{404, {}, {}};
      for (const auto& [name, value] : found->second.fields)
        for (const ports::HttpField& field : request.fields)
          if (name == "etag" && field.name == "If-None-Match" && field.value == value) return Reply{304, {}, {}};
      return found->second;
    });
  }

  content::Reading read(const std::string& target, const CrawlOptions& crawl = {},
                        const content::SourceOptions& options = {}) {
    asked_.clear();
    content::Reading reading;
    CrawlServices services{markup_, clock_,
                           [this](const std::string&) -> Result<std::unique_ptr<ports::HttpClient>> {
                             return std::unique_ptr<ports::HttpClient>(std::make_unique<SiteClient>(site_));
                           },
                           [this](std::chrono::milliseconds time) { clock_.advance(time); },
                           (folder_.path() / "site.pages").string()};
    const auto source = open_site(std::string(kOrigin) + target, options, crawl, std::move(services));
    if (!source) {
      reading.error = source.error().message;
      return reading;
    }
    ports::Call call;
    const auto outcome = (*source)->read(call, [&](const ports::ContentRecord& record) {
      reading.records.push_back(content::described(record));
      if (const auto* item = std::get_if<ports::ItemRecord>(&record.record)) {
        ids_.emplace_back(item->id);
        urls_.emplace_back(item->url);
      }
      if (const auto* reject = std::get_if<ports::Reject>(&record.record))
        rejects_.push_back(std::string(record.position.file) + ": " + std::string(reject->reason));
      return Visit::Continue;
    });
    if (!outcome) reading.error = outcome.error().message;
    reading.notes = (*source)->notes();
    owner_ = (*source)->owner();
    return reading;
  }

  /// Makes a sitemap of the paths.
  void list(const std::vector<std::string>& paths, const std::string& name = "/docs/sitemap.xml") {
    std::string body = "<urlset xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\">";
    for (const std::string& path : paths) body += "<url><loc>" + path + "</loc></url>";
    pages_[name] = xml(body + "</urlset>");
  }

  std::size_t count(const std::string& target) const {
    return static_cast<std::size_t>(std::count(asked_.begin(), asked_.end(), target));
  }

  conformance::ManualClock clock_;
  conformance::FakeUpstream site_{clock_};
  tests::TemporaryFolder folder_;
  markup::LibraryMarkup markup_;
  std::map<std::string, Reply> pages_;
  std::vector<std::string> asked_, ids_, urls_, rejects_;
  std::string owner_;
};

TEST_F(WebSourceTest, ReadsTheMainPartOfAPage) {
  pages_["/docs/guide/setup.html"] = page(
      "<html lang=en><head><title>Setup | Docs</title><meta name=description content=\"How to set up\">"
      "<link rel=canonical href=\"/docs/guide/setup\"></head><body><nav>Menu</nav>"
      "<main><h1>Set <em>up</em></h1><p>Run <a href=\"../x.html\">it</a>.<script>x()</script></main></body></html>");
  const auto reading = read("/docs/guide/setup.html");
  ASSERT_EQ(reading.error, "");
  ASSERT_GE(reading.records.size(), 1U);
  EXPECT_EQ(ids_, (std::vector<std::string>{"docs/guide/setup"}));
  EXPECT_EQ(urls_, (std::vector<std::string>{"https://docs.example.org/docs/guide/setup"}));
  EXPECT_NE(reading.records[0].find("title=Set up category=docs/guide content=<h1>Set <em>up</em></h1>"),
            std::string::npos)
      << reading.records[0];
  EXPECT_NE(reading.records[0].find("href=\"https://docs.example.org/docs/x.html\""), std::string::npos)
      << reading.records[0];
  EXPECT_EQ(reading.records[0].find("Menu"), std::string::npos);
  EXPECT_EQ(reading.records[0].find("x()"), std::string::npos);
  EXPECT_EQ(owner_, "docs.example.org/docs/guide/setup.html");
}

TEST_F(WebSourceTest, ReadsEachPageOfASitemapOnce) {
  list({"https://docs.example.org/docs/a.html", "/docs/a.html", "https://docs.example.org/docs/a.html#part",
        "https://docs.example.org/docs/b/", "https://docs.example.org/blog/c.html", "https://other.example/d"});
  pages_["/docs/a.html"] = page("<main>A <a href=\"b/\">b</a></main>");
  pages_["/docs/b/"] = page("<article>B</article>");
  const auto reading = read("/docs/sitemap.xml");
  ASSERT_EQ(reading.error, "");
  EXPECT_EQ(ids_, (std::vector<std::string>{"docs/a", "docs/b"}));
  EXPECT_NE(reading.records[0].find("related=[docs/b]"), std::string::npos) << reading.records[0];
  EXPECT_EQ(asked_, (std::vector<std::string>{"/robots.txt", "/docs/sitemap.xml", "/docs/a.html", "/docs/b/"}));
  EXPECT_EQ(reading.notes.skipped, (std::map<std::string, std::uint64_t>{
                                       {"of another site", 1}, {"outside of https://docs.example.org/docs/", 1}}));
  EXPECT_EQ(owner_, "docs.example.org/docs");
}

TEST_F(WebSourceTest, ReadsTheSitemapsOfAnIndex) {
  pages_["/sitemap.xml"] =
      xml("<sitemapindex><sitemap><loc>/one.xml</loc></sitemap>"
          "<sitemap><loc>https://docs.example.org/two.xml</loc></sitemap></sitemapindex>");
  list({"/a"}, "/one.xml");
  list({"/b"}, "/two.xml");
  pages_["/a"] = page("<main>A</main>");
  pages_["/b"] = page("<main>B</main>");
  EXPECT_EQ(read("/sitemap.xml").error, "");
  EXPECT_EQ(ids_, (std::vector<std::string>{"a", "b"}));
}

TEST_F(WebSourceTest, ReadsASitemapThatNamesItselfOnce) {
  pages_["/sitemap.xml"] =
      xml("<sitemapindex><sitemap><loc>/sitemap.xml</loc></sitemap>"
          "<sitemap><loc>/one.xml</loc></sitemap></sitemapindex>");
  pages_["/one.xml"] = xml("<sitemapindex><sitemap><loc>/sitemap.xml</loc></sitemap></sitemapindex>");
  const auto reading = read("/sitemap.xml");
  EXPECT_EQ(reading.notes.skipped, (std::map<std::string, std::uint64_t>{{"sitemaps named twice", 2}}));
  EXPECT_EQ(count("/sitemap.xml"), 1U);
}

TEST_F(WebSourceTest, RejectsASitemapThatIsNoXml) {
  pages_["/sitemap.xml"] = xml("<urlset><url><loc>/a</loc>");
  EXPECT_EQ(read("/sitemap.xml").error, "https://docs.example.org/sitemap.xml:1: the sitemap is not well-formed XML");
  pages_["/feed.xml"] = xml("<rss/>");
  EXPECT_EQ(read("/feed.xml").error,
            "https://docs.example.org/feed.xml: is neither a page nor a sitemap: its first element is <rss>, not "
            "<urlset> or <sitemapindex>");
}

TEST_F(WebSourceTest, RejectsASitemapOfAnIndexThatFails) {
  pages_["/sitemap.xml"] =
      xml("<sitemapindex><sitemap><loc>/bad.xml</loc></sitemap><sitemap><loc>/away.xml</loc></sitemap></sitemapindex>");
  pages_["/bad.xml"] = xml("<urlset>\n<url>");
  pages_["/away.xml"] = Reply{500, {}, {}};
  EXPECT_EQ(read("/sitemap.xml").error, "");
  EXPECT_EQ(rejects_, (std::vector<std::string>{"https://docs.example.org/bad.xml: the sitemap is not well-formed XML",
                                                "https://docs.example.org/away.xml: answers 500"}));
}

TEST_F(WebSourceTest, AsksForWhatHasChangedSinceTheLastRun) {
  list({"/docs/a.html", "/docs/b.html"});
  pages_["/docs/a.html"] = page("<main>old A</main>", "\"1\"");
  pages_["/docs/b.html"] = page("<main>old B</main>", "\"1\"");
  const auto first = read("/docs/sitemap.xml");
  pages_["/docs/b.html"] = page("<main>new B</main>", "\"2\"");
  const auto second = read("/docs/sitemap.xml");
  ASSERT_GE(second.records.size(), 2U);
  EXPECT_EQ(second.records[0], first.records[0]);
  EXPECT_NE(second.records[1].find("new B"), std::string::npos) << second.records[1];
}

TEST_F(WebSourceTest, KeepsTheFieldsOfAnUnchangedPage) {
  list({"/docs/a.html"});
  pages_["/docs/a.html"] = page("<main>A</main>", "\"1\"");
  pages_["/docs/a.html"].fields.emplace_back("x-robots-tag", "noindex");
  EXPECT_TRUE(read("/docs/sitemap.xml").records.empty());
  EXPECT_TRUE(read("/docs/sitemap.xml").records.empty());
}

TEST_F(WebSourceTest, RemovesWhatAKilledRunHasWritten) {
  const auto abandoned = folder_.path() / "site.pages.part-abc";
  std::ofstream(abandoned) << "kbase pages 2\n";
  list({});
  read("/docs/sitemap.xml");
  EXPECT_FALSE(std::filesystem::exists(abandoned));
}

TEST_F(WebSourceTest, KeepsWhatAnInterruptedRunDidNotReach) {
  list({"/docs/a.html", "/docs/b.html"});
  pages_["/docs/a.html"] = page("<main>A</main>", "\"1\"");
  pages_["/docs/b.html"] = page("<main>B</main>", "\"1\"");
  read("/docs/sitemap.xml");
  const Reply sitemap = pages_["/docs/sitemap.xml"];
  pages_["/docs/sitemap.xml"] = Reply{503, {}, {}};
  read("/docs/sitemap.xml");
  pages_["/docs/sitemap.xml"] = sitemap;
  pages_["/docs/a.html"].body = "not sent";
  EXPECT_NE(read("/docs/sitemap.xml").records.at(0).find("content=A"), std::string::npos);
}

TEST_F(WebSourceTest, ReadsEverythingAgainIfTheCacheIsDamaged) {
  list({"/docs/a.html"});
  pages_["/docs/a.html"] = page("<main>A</main>", "\"1\"");
  read("/docs/sitemap.xml");
  std::ofstream(folder_.path() / "site.pages")
      << "kbase pages 2\n{\"address\":\"https://docs.example.org/docs/a.html\","
         "\"etag\":\"\\\"1\\\"\",\"bytes\":3,\"plain_bytes\":9}\nabc";
  EXPECT_NE(read("/docs/sitemap.xml").records.at(0).find("content=A"), std::string::npos);
}

TEST_F(WebSourceTest, DoesNotFollowARedirectToAnotherSite) {
  list({"/docs/a.html", "/docs/b.html", "/docs/c.html"});
  pages_["/docs/a.html"] = moved("http://169.254.169.254/latest/meta-data/");
  pages_["/docs/b.html"] = moved("c.html");
  pages_["/docs/c.html"] = page("<main>C</main>");
  const auto reading = read("/docs/sitemap.xml");
  EXPECT_EQ(rejects_,
            (std::vector<std::string>{
                "https://docs.example.org/docs/a.html: redirects to http://169.254.169.254/latest/meta-data/, "
                "which is not on https://docs.example.org; it is not followed"}));
  EXPECT_EQ(ids_, (std::vector<std::string>{"docs/c"}));
  EXPECT_EQ(count("/docs/c.html"), 1U);
}

TEST_F(WebSourceTest, StopsAtARedirectThatLeadsInACircle) {
  pages_["/a"] = moved("/b");
  pages_["/b"] = moved("/a");
  EXPECT_EQ(read("/a").error, "https://docs.example.org/a: the page is not read: read at another address");
  EXPECT_EQ(asked_.size(), 3U);
}

TEST_F(WebSourceTest, ObeysRobotsTxt) {
  pages_["/robots.txt"] = page("User-agent: *\nDisallow: /docs/private/\nCrawl-delay: 2\n");
  list({"/docs/private/a.html", "/docs/b.html"});
  pages_["/docs/b.html"] = page("<main>B</main>");
  const auto begin = clock_.steady();
  const auto reading = read("/docs/sitemap.xml");
  EXPECT_EQ(ids_, (std::vector<std::string>{"docs/b"}));
  EXPECT_EQ(count("/docs/private/a.html"), 0U);
  EXPECT_EQ(reading.notes.skipped.at("disallowed by robots.txt"), 1U);
  EXPECT_EQ(clock_.steady() - begin, std::chrono::seconds(4));
}

TEST_F(WebSourceTest, ReadsNothingWhereRobotsTxtFails) {
  pages_["/robots.txt"] = Reply{503, {}, {}};
  EXPECT_EQ(
      read("/a").error,
      "https://docs.example.org/robots.txt: answers 503, so it is not known what the site allows; try again later");
}

TEST_F(WebSourceTest, AsksAtTheGivenRate) {
  list({"/docs/a.html", "/docs/b.html", "/docs/c.html"});
  const auto begin = clock_.steady();
  CrawlOptions crawl;
  crawl.requests_per_second = 2;
  read("/docs/sitemap.xml", crawl);
  EXPECT_EQ(asked_.size(), 5U);
  EXPECT_EQ(clock_.steady() - begin, std::chrono::seconds(2));
}

TEST_F(WebSourceTest, ReadsAtMostSoManyPages) {
  list({"/docs/a.html", "/docs/b.html", "/docs/c.html"});
  for (const char* path : {"/docs/a.html", "/docs/b.html", "/docs/c.html"}) pages_[path] = page("<main>x</main>");
  CrawlOptions crawl;
  crawl.max_pages = 2;
  const auto reading = read("/docs/sitemap.xml", crawl);
  EXPECT_EQ(ids_, (std::vector<std::string>{"docs/a", "docs/b"}));
  EXPECT_TRUE(reading.notes.is_incomplete);
  EXPECT_EQ(reading.notes.remarks, (std::vector<std::string>{"1 more pages are listed; --max-pages 3 reads them too"}));
}

TEST_F(WebSourceTest, LimitsThePagesToAnAddress) {
  list({"/docs/a.html", "/docs/v2/b.html"});
  pages_["/docs/v2/b.html"] = page("<main>B</main>");
  CrawlOptions crawl;
  crawl.limit_to = "https://docs.example.org/docs/v2/";
  read("/docs/sitemap.xml", crawl);
  EXPECT_EQ(ids_, (std::vector<std::string>{"docs/v2/b"}));
  crawl.limit_to = "https://other.example/docs/";
  EXPECT_EQ(read("/docs/sitemap.xml", crawl).error,
            "--limit-to https://other.example/docs/ is not an address that begins with https://docs.example.org/");
}

TEST_F(WebSourceTest, LimitsThePagesByPartsOfTheirPath) {
  list({"/docs", "/docs/a", "/docs-old/b", "/docs/c"});
  for (const char* path : {"/docs", "/docs/a", "/docs-old/b"}) pages_[path] = page("<main>x</main>");
  pages_["/docs/c"] = moved("/docs-old/b");
  CrawlOptions crawl;
  crawl.limit_to = "https://docs.example.org/docs";
  const auto reading = read("/docs/sitemap.xml", crawl);
  EXPECT_EQ(ids_, (std::vector<std::string>{"docs", "docs/a"}));
  EXPECT_EQ(reading.notes.skipped.at("outside of https://docs.example.org/docs"), 2U);
}

TEST_F(WebSourceTest, NamesASourceByItsSiteOrItsPage) {
  pages_["/docs/"] = page("<main>x</main>");
  read("/docs/");
  EXPECT_EQ(owner_, "docs.example.org/docs/");
  list({});
  read("/docs/sitemap.xml");
  EXPECT_EQ(owner_, "docs.example.org/docs");
}

TEST_F(WebSourceTest, TakesTheQueryAsPartOfTheNameAlone) {
  pages_["/docs/page?path=x/y&z=1"] = page("<main>A <a href='/docs/page?path=q&amp;z=2'>b</a></main>");
  pages_["/docs/page?path=q&z=2"] = page("<main>B</main>");
  list({"/docs/page?path=x/y&amp;z=1", "/docs/page?path=q&amp;z=2"});
  const auto reading = read("/docs/sitemap.xml");
  EXPECT_EQ(ids_, (std::vector<std::string>{"docs/page?path=x/y&z=1", "docs/page?path=q&z=2"}));
  EXPECT_NE(reading.records.at(0).find("title=Page category=docs "), std::string::npos) << reading.records[0];
  EXPECT_NE(reading.records.at(0).find("related=[docs/page?path=q&z=2]"), std::string::npos) << reading.records[0];
}

TEST_F(WebSourceTest, TakesALaterDayOfTheSitemapAsThatOfAChange) {
  pages_["/docs/sitemap.xml"] =
      xml("<urlset><url><loc>/docs/a</loc><lastmod>2024-05-01</lastmod></url>"
          "<url><loc>/docs/b</loc><lastmod>2024-05-01</lastmod></url></urlset>");
  pages_["/docs/a"] = page("<head><meta name=date content=2023-01-02></head><main>A</main>");
  pages_["/docs/b"] = page(
      "<head><meta name=date content=2023-01-02><meta name=last-modified content=2023-02-03></head><main>B</main>");
  const auto reading = read("/docs/sitemap.xml");
  EXPECT_NE(reading.records.at(0).find("created=2023-01-02 updated=2024-05-01"), std::string::npos)
      << reading.records[0];
  EXPECT_NE(reading.records.at(1).find("created=2023-01-02 updated=2023-02-03"), std::string::npos)
      << reading.records[1];
}

TEST_F(WebSourceTest, PutsThePrefixBeforeIds) {
  pages_["/"] = page("<main>Home</main>");
  content::SourceOptions options;
  options.prefix = "site";
  read("/", {}, options);
  EXPECT_EQ(ids_, (std::vector<std::string>{"site"}));
  ids_.clear();
  read("/");
  EXPECT_EQ(ids_, (std::vector<std::string>{"docs.example.org"}));
}

TEST_F(WebSourceTest, CountsWhatIsNoPage) {
  list({"/docs/a.pdf", "/docs/gone", "/docs/hidden", "/docs/same"});
  pages_["/docs/a.pdf"] = Reply{200, {{"content-type", "application/pdf"}}, "%PDF"};
  pages_["/docs/hidden"] = page("<head><meta name=robots content=noindex></head><main>H</main>");
  pages_["/docs/same"] = page("<head><link rel=canonical href=/docs/other></head><main>S</main>");
  const auto reading = read("/docs/sitemap.xml");
  EXPECT_EQ(ids_, (std::vector<std::string>{"docs/other"}));
  EXPECT_EQ(reading.notes.left_out, 1U);
  EXPECT_EQ(reading.notes.skipped,
            (std::map<std::string, std::uint64_t>{{"answered with 404", 1}, {"of the type application/pdf", 1}}));
}

TEST_F(WebSourceTest, RejectsAPageThatFails) {
  list({"/docs/a", "/docs/b"});
  pages_["/docs/a"] = Reply{500, {}, {}};
  pages_["/docs/b"] = Reply{200, {}, {}, false, false, ErrorCode::BadUpstream};
  read("/docs/sitemap.xml");
  ASSERT_EQ(rejects_.size(), 2U);
  EXPECT_EQ(rejects_[0], "https://docs.example.org/docs/a: answers 500");
}

TEST_F(WebSourceTest, ReadsTheEncodingOfAPage) {
  pages_["/a"] = Reply{200,
                       {{"content-type", "text/html; charset=ISO-8859-1"}},
                       "<main>Gr\xFC\xDF"
                       "e \x93x\x94</main>"};
  EXPECT_NE(read("/a").records.at(0).find("content=Grüße “x”"), std::string::npos);
}

TEST_F(WebSourceTest, NamesTheSitemapOfTheSite) {
  pages_["/robots.txt"] = page("Sitemap: https://docs.example.org/sitemap.xml\n");
  pages_["/"] = page("<main>Home</main>");
  EXPECT_EQ(read("/").notes.remarks,
            (std::vector<std::string>{
                "the site has a sitemap, for all of its pages: kbase import https://docs.example.org/sitemap.xml"}));
}

TEST(WebSource, RejectsAnAddressWithAUserName) {
  markup::LibraryMarkup markup;
  conformance::ManualClock clock;
  const auto source = open_site("https://user:secret@docs.example.org/", {}, {}, {markup, clock, {}, {}, {}});
  ASSERT_FALSE(source);
  EXPECT_EQ(source.error().code, ErrorCode::InvalidArgument);
}

}  // namespace
}  // namespace kbase::web
