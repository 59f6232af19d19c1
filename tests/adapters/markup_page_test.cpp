// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

#include "adapters/markup/library_markup.hpp"

namespace kbase::markup {
namespace {

/// Pages of the same source.
constexpr auto kPages = [](std::string_view target) {
  return target == "../i.md" ? std::string("/item/i") : std::string();
};
constexpr std::string_view kAddress = "https://site/a/b";

std::string show(std::string_view content, model::Format format, std::string_view title = {}) {
  return LibraryMarkup().html(content, format, {title, kAddress, kPages});
}
std::string show_html(std::string_view html) { return show(html, model::Format::Html); }
std::string show_markdown(std::string_view markdown, std::string_view title = {}) {
  return show(markdown, model::Format::Markdown, title);
}

TEST(PageHtml, ShowsWhatMarkdownMeans) {
  EXPECT_EQ(show_markdown("a *b* **c** `d<e>`\n\n- f\n"),
            "<p>a <em>b</em> <strong>c</strong> <code>d&lt;e&gt;</code></p>\n<ul>\n<li>f</li>\n</ul>\n");
  EXPECT_EQ(show_markdown("```cpp\nint a;\n```\n"),
            "<pre tabindex=\"0\"><code class=\"language-cpp\">int a;\n</code></pre>\n");
  EXPECT_EQ(show_markdown("[a](https://b/?c=d&e) [f](#g) [h](../i.md)"),
            "<p><a href=\"https://b/?c=d&amp;e\" rel=\"noopener\">a</a> <a href=\"#g\">f</a> <a "
            "href=\"/item/i\">h</a></p>\n");
  EXPECT_EQ(show_markdown("[a](c%20d.html) ![e](/f.png \"g\")"),
            "<p><a href=\"https://site/a/c%20d.html\" rel=\"noopener\">a</a> <img src=\"https://site/f.png\" alt=\"e\" "
            "title=\"g\" loading=\"lazy\" decoding=\"async\"></p>\n");
  EXPECT_EQ(show_markdown("- [x] done\n- [ ] open\n"), "<ul>\n<li>\u2611 done</li>\n<li>\u2610 open</li>\n</ul>\n");
}

TEST(PageHtml, GivesHeadingsTheAnchorsOfTheSections) {
  const std::string markdown = "# A\n\ntext\n\n## B c\n\n##### B c\n";
  EXPECT_EQ(show_markdown(markdown),
            "<h2 id=\"a\">A<a class=\"anchor\" href=\"#a\" aria-hidden=\"true\" tabindex=\"-1\">#</a></h2>\n"
            "<p>text</p>\n"
            "<h2 id=\"b-c\">B c<a class=\"anchor\" href=\"#b-c\" aria-hidden=\"true\" tabindex=\"-1\">#</a></h2>\n"
            "<h3 id=\"b-c-1\">B c<a class=\"anchor\" href=\"#b-c-1\" aria-hidden=\"true\" "
            "tabindex=\"-1\">#</a></h3>\n")
      << "no level is skipped";
}

TEST(PageHtml, ShowsCalloutsAsQuotationsWithTheMarkOfTheirKind) {
  const std::string shown =
      "<blockquote>\n<p><b class=\"kind kind-tip\">Title</b></p>\n<p>a <em>b</em></p>\n<pre tabindex=\"0\"><code>c\n"
      "</code></pre>\n</blockquote>\n<p>d</p>\n";
  for (const char* text :
       {":::tip[Title]\n\na *b*\n\n```\nc\n```\n\n:::\n\nd\n", ":::tip Title\na *b*\n```\nc\n```\n:::\nd\n",
        "!!! hint \"Title\"\n    a *b*\n\n    ```\n    c\n    ```\n\nd\n",
        "```{tip} Title\n:class: x\na *b*\n\n~~~\nc\n~~~\n```\nd\n"})
    EXPECT_EQ(show_markdown(text), shown) << text;
  EXPECT_EQ(show_markdown("> [!WARNING]\n> a\n"),
            "<blockquote>\n<p><b class=\"kind kind-warning\">Warning</b>\na</p>\n</blockquote>\n");
  EXPECT_EQ(
      show_markdown("::::note\n:::danger\na\n:::\nb\n::::\nc\n"),
      "<blockquote>\n<p><b class=\"kind kind-note\">Note</b></p>\n<blockquote>\n"
      "<p><b class=\"kind kind-danger\">Danger</b></p>\n<p>a</p>\n</blockquote>\n<p>b</p>\n</blockquote>\n<p>c</p>\n");
  EXPECT_EQ(show_markdown(":::tabs\na\n:::\nb\n"), "<p>a</p>\n<p>b</p>\n") << "no callout";
  EXPECT_EQ(show_markdown("!!! note\n    a"),
            "<blockquote>\n<p><b class=\"kind kind-note\">Note</b></p>\n<p>a</p>\n</blockquote>\n");
}

TEST(PageHtml, LeavesOutAFirstHeadingThatIsTheTitle) {
  EXPECT_EQ(show_markdown("# The *title*\n\ntext", "The title"), "<span id=\"the-title\"></span>\n<p>text</p>\n");
  EXPECT_EQ(show_markdown("text\n\n# The title\n", "The title").find("<h2 id=\"the-title\""), 12U);
}

TEST(PageHtml, ShowsTheMainPartOfAPage) {
  EXPECT_EQ(show_html("<!doctype html><html><head><title>T</title></head><body><nav>menu</nav><main><p>a</p>"
                      "<script>b()</script><style>c</style></main><footer>d</footer></body></html>"),
            "<div><p>a</p></div>");
}

TEST(PageHtml, HasOnlyWhatIsAllowed) {
  EXPECT_EQ(show_html("<p onclick=\"a()\" style=\"b\" class=\"c\" id=\"d\">e</p>"), "<p id=\"d\">e</p>");
  EXPECT_EQ(show_html("<a href=\"javascript:alert(1)\">a</a>"), "<a>a</a>");
  EXPECT_EQ(show_html("<a href=\" java\tscript:alert(1)\">a</a>"), "<a>a</a>");
  EXPECT_EQ(show_html("<a href=\"&#106;avascript:alert(1)\">a</a>"), "<a>a</a>");
  EXPECT_EQ(show_html("<a href=\"data:text/html,x\">a</a>"), "<a>a</a>");
  EXPECT_EQ(show_html("<img src=x onerror=alert(1) alt=a>"),
            "<img src=\"https://site/a/x\" alt=\"a\" loading=\"lazy\" decoding=\"async\">");
  EXPECT_EQ(show_html("<img src=\"data:image/svg+xml,x\" alt=\"a\">"), "a");
  EXPECT_EQ(show_html("<svg><script>a()</script></svg><iframe src=x></iframe><object></object>b"), "b");
  EXPECT_EQ(show_html("<form action=x><input name=a><button>b</button></form>"), "<div>b</div>");
  EXPECT_EQ(show_html("<math><mi>a</mi></math>"), "a");
}

TEST(PageHtml, ClosesAllElementsAndNestsThemOnlySoDeep) {
  EXPECT_EQ(show_html("<div><b>a"), "<div><b>a</b></div>");
  std::string deep;
  for (int i = 0; i < 100'000; ++i) deep += "<div>";
  const std::string shown = show_html(deep + "a");
  EXPECT_LT(shown.size(), 3000U);
  EXPECT_NE(shown.find('a'), std::string::npos);
}

/// Returns the tags of the HTML in their order, without attributes, if each tag is written in full; else an entry "?".
std::vector<std::string> tags_of(std::string_view html) {
  std::vector<std::string> tags;
  for (std::size_t at = html.find('<'); at != std::string_view::npos; at = html.find('<', at + 1)) {
    const std::size_t end = html.find_first_of("<>", at + 1);
    if (end == std::string_view::npos || html[end] == '<') return {"?"};
    tags.emplace_back(html.substr(at + 1, std::min(html.find_first_of(" >", at), end) - at - 1));
  }
  return tags;
}

TEST(PageHtml, IsWellFormedWhateverTheContentIs) {
  constexpr const char* kParts[] = {
      "<div>",      "</div>", "<p>",  "</p>",  "<b>",   "</b>",     "<table>",   "<tr><td>", "</table>",
      "<a href=x>", "</a>",   "<h1>", "</h1>", "<pre>", "</pre>",   "<li>",      "<ul>",     "</ul>",
      "<img src=a", "\"",     "'",    "<!--",  "-->",   "<script>", "</script>", "&lt;",     "\n\n",
      "# a\n",      "```\n",  "text", ">",     "<",     "<svg>",    "<![CDATA[", "]]>"};
  std::mt19937 random(7);
  for (int round = 0; round < 3000; ++round) {
    std::string content;
    for (auto parts = random() % 40; parts > 0; --parts) content += kParts[random() % std::size(kParts)];
    for (const auto format : {model::Format::Html, model::Format::Markdown}) {
      std::vector<std::string> open;
      for (const std::string& tag : tags_of(show(content, format))) {
        ASSERT_NE(tag, "?") << content;
        ASSERT_NE(tag, "script") << content;
        if (tag == "br" || tag == "img" || tag == "hr") continue;
        if (!tag.starts_with('/')) {
          open.push_back(tag);
          continue;
        }
        ASSERT_FALSE(open.empty()) << content;
        ASSERT_EQ(tag.substr(1), open.back()) << content;
        open.pop_back();
      }
      ASSERT_TRUE(open.empty()) << content;
    }
  }
}

}  // namespace
}  // namespace kbase::markup
