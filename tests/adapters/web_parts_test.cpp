// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <string>

#include "adapters/web/charset.hpp"
#include "adapters/web/robots.hpp"
#include "adapters/web/sitemap.hpp"
#include "adapters/web/web_address.hpp"

namespace kbase::web {
namespace {

std::string normal(std::string_view text) {
  const auto address = parse_address(text);
  return address ? address->text() : "none";
}

TEST(WebAddress, HasANormalForm) {
  EXPECT_EQ(normal("HTTPS://Docs.Example.ORG:443/a/./b/../c#x"), "https://docs.example.org/a/c");
  EXPECT_EQ(normal("http://localhost:8000"), "http://localhost:8000/");
  EXPECT_EQ(normal(" http://h/a b/ü?q=\"x\" "), "http://h/a%20b/%C3%BC?q=%22x%22");
  for (const char* text : {"ftp://h/", "http:///a", "https://u:p@h/", "//h/a", "", "http://[", "mailto:a@b"})
    EXPECT_EQ(normal(text), "none") << text;
}

TEST(WebAddress, ResolvesReferences) {
  const Address base = *parse_address("https://h/docs/guide/a.html?x=1");
  const auto resolved = [&](std::string_view reference) {
    const auto address = resolve(base, reference);
    return address ? address->text() : "none";
  };
  EXPECT_EQ(resolved("b.html"), "https://h/docs/guide/b.html");
  EXPECT_EQ(resolved("../c/"), "https://h/docs/c/");
  EXPECT_EQ(resolved("/d"), "https://h/d");
  EXPECT_EQ(resolved("//other/e"), "https://other/e");
  EXPECT_EQ(resolved("../../../../f"), "https://h/f");
  EXPECT_EQ(resolved("javascript:x()"), "none");
}

TEST(WebAddress, GivesAPageItsPath) {
  const auto path = [](const char* text) { return page_path(*parse_address(text)); };
  EXPECT_EQ(path("https://h/"), "");
  EXPECT_EQ(path("https://h/index.html"), "");
  EXPECT_EQ(path("https://h//guide//"), "guide");
  EXPECT_EQ(path("https://h/guide/index.html"), "guide");
  EXPECT_EQ(path("https://h/guide/set%20up.html"), "guide/set up");
  EXPECT_EQ(path("https://h/guide/v1.2"), "guide/v1.2");
  EXPECT_EQ(path("https://h/page?id=3"), "page?id=3");
  EXPECT_EQ(path("https://h/a/page.html.gz"), "a/page");
  EXPECT_EQ(path("https://h/%FF"), "%FF");
  EXPECT_EQ(path("https://h/a%0Ab"), "a%0Ab");
}

TEST(RobotsTxt, AllowsEverythingWithoutRules) {
  EXPECT_TRUE(Robots().allows("/a"));
  EXPECT_TRUE(Robots("no rule\nUser-agent: other\nDisallow: /", "kbase").allows("/a"));
  EXPECT_TRUE(Robots("User-agent: *\nDisallow:", "kbase").allows("/a"));
}

TEST(RobotsTxt, LetsTheLongestRuleDecide) {
  const Robots robots("User-agent: *\nDisallow: /a\nAllow: /a/b\nDisallow: /a/b/c\nAllow: /x\nDisallow: /x", "kbase");
  EXPECT_FALSE(robots.allows("/a"));
  EXPECT_TRUE(robots.allows("/a/b/d"));
  EXPECT_FALSE(robots.allows("/a/b/c/d"));
  EXPECT_TRUE(robots.allows("/x"));
}

TEST(RobotsTxt, MatchesWildcardsAndEnds) {
  const Robots robots("User-agent: *\nDisallow: /*.pdf$\nDisallow: /p*q/\nDisallow: /caf%C3%A9\nDisallow: /~x",
                      "kbase");
  EXPECT_FALSE(robots.allows("/a/b.pdf"));
  EXPECT_TRUE(robots.allows("/a/b.pdf?x"));
  EXPECT_FALSE(robots.allows("/pzzq/r"));
  EXPECT_TRUE(robots.allows("/pzz/r"));
  EXPECT_FALSE(robots.allows("/caf\xC3\xA9/x"));
  EXPECT_FALSE(robots.allows("/%7ex"));
}

TEST(RobotsTxt, TakesTheRulesForItsName) {
  const std::string text =
      "User-agent: *\nDisallow: /\n\nUser-agent: Other\nUser-Agent: KBase/1.0 # ours\nDisallow: /own\n\n"
      "user-agent: kbase\nDisallow: /too\nCrawl-delay: 1.5\nSitemap: https://h/s.xml";
  const Robots robots(text, "kbase");
  EXPECT_TRUE(robots.allows("/a"));
  EXPECT_FALSE(robots.allows("/own"));
  EXPECT_FALSE(robots.allows("/too"));
  EXPECT_EQ(robots.delay(), std::chrono::milliseconds(1500));
  EXPECT_EQ(robots.sitemaps(), std::vector<std::string>{"https://h/s.xml"});
  EXPECT_FALSE(Robots(text, "another").allows("/a"));
}

TEST(RobotsTxt, IsBoundedInTime) {
  const Robots robots("User-agent: *\nDisallow: /" + std::string(2000, '*') + "b", "kbase");
  EXPECT_TRUE(robots.allows("/" + std::string(4000, 'a')));
}

TEST(SitemapFile, ListsItsPagesWithTheirDays) {
  const auto parsed = parse_sitemap(
      "<?xml version='1.0'?><urlset xmlns:i='x'><url><loc> https://h/a?b=1&amp;c </loc><lastmod>2024-02-29T23:30:00Z"
      "</lastmod><i:image><i:loc>https://h/p.png</i:loc></i:image></url><url><loc><![CDATA[/b]]></loc></url></urlset>");
  const auto* const sitemap = std::get_if<Sitemap>(&parsed);
  ASSERT_NE(sitemap, nullptr);
  EXPECT_FALSE(sitemap->is_index);
  ASSERT_EQ(sitemap->entries.size(), 2U);
  EXPECT_EQ(sitemap->entries[0].address, "https://h/a?b=1&c");
  EXPECT_EQ(model::format_day(*sitemap->entries[0].modified), "2024-02-29");
  EXPECT_EQ(sitemap->entries[1].address, "/b");
  EXPECT_FALSE(sitemap->entries[1].modified);
}

TEST(SitemapFile, ExpandsNoEntities) {
  const auto parsed = parse_sitemap(
      "<!DOCTYPE u [<!ENTITY a SYSTEM 'file:///etc/passwd'><!ENTITY b "
      "'bb'>]><urlset><url><loc>/x&a;</loc></url></urlset>");
  if (const auto* const sitemap = std::get_if<Sitemap>(&parsed)) {
    EXPECT_EQ(sitemap->entries.at(0).address, "/x");
  }
}

TEST(Charset, IsThatOfTheHeaderThenOfThePage) {
  EXPECT_EQ(to_utf8("\xE4", "text/html; charset=\"ISO-8859-1\""), "ä");
  EXPECT_EQ(to_utf8("<meta charset='windows-1251'>\xE4", "text/html"), "<meta charset='windows-1251'>д");
  EXPECT_EQ(to_utf8("\xC3\xA4", "text/html"), "ä");
  EXPECT_EQ(to_utf8("\xE4", "text/html"), "ä");
  EXPECT_EQ(to_utf8("\xE4", "text/html; charset=utf-8"), "\xEF\xBF\xBD");
  EXPECT_EQ(to_utf8("<p>charset=windows-1251 \xE4", "text/html"), "<p>charset=windows-1251 ä");
  EXPECT_EQ(to_utf8("<meta charset=windows-1251>\xE4", "text/plain"), "<meta charset=windows-1251>ä");
  EXPECT_EQ(to_utf8("x", "text/html; charset=no-such"), "x");
  EXPECT_EQ(to_utf8("\x82\xA0\xFF\x41", "text/html; charset=Shift_JIS"),
            "あ\xEF\xBF\xBD"
            "A");
  EXPECT_EQ(to_utf8(std::string(100'000, '\xE4'), "text/html; charset=latin1").size(), 200'000U);
}

}  // namespace
}  // namespace kbase::web
