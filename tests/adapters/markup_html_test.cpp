// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <string>

#include "adapters/markup/library_markup.hpp"

namespace kbase::markup {
namespace {

model::Document read_html(std::string_view html) { return LibraryMarkup().document(html, model::Format::Html); }

TEST(HtmlText, IsThatOfTheMainPart) {
  const std::string page =
      "<!doctype html><html><head><title>T - Site</title><style>x{}</style></head><body>"
      "<nav>menu</nav><header>top</header>MAIN<footer>end</footer><script>s()</script></body></html>";
  const auto with = [&page](std::string_view main) {
    std::string filled = page;
    return read_html(filled.replace(filled.find("MAIN"), 4, main)).text;
  };
  EXPECT_EQ(with("<p>text</p><aside>margin</aside>"), "text");
  EXPECT_EQ(with("<div>outside</div><main><h1>T</h1><p>a</p></main>"), "T\na");
  EXPECT_EQ(with("<div>outside</div><article>inside</article>"), "inside");
  EXPECT_EQ(with("<div hidden>no</div><div aria-hidden=\"true\">no</div><p>yes</p>"), "yes");
}

TEST(HtmlText, KeepsPreformattedLinesAndSeparatesBlocks) {
  EXPECT_EQ(read_html("<p>a\n b</p><pre>x\n  y</pre><ul><li>c</li><li>d</li></ul>e<br>f").text,
            "a b\nx\n  y\nc\nd\ne\nf");
  EXPECT_EQ(read_html("<b>a</b>b <i>c</i>").text, "ab c");
}

TEST(HtmlText, IsUtf8WhateverThePageSays) {
  EXPECT_EQ(read_html("<html><head><meta charset=\"latin1\"></head><body>ü&uuml;&#252;</body></html>").text, "üüü");
}

TEST(HtmlText, HasNoTraceOfLiquid) {
  EXPECT_EQ(read_html("{% for p in posts %}<p>{{ p.title }}Post</p>{% endfor %}<pre>{% kept %}</pre><code>{{ "
                      "kept }}</code>")
                .text,
            "Post\n{% kept %}\n{{ kept }}");
  EXPECT_EQ(read_html("<p>{{ kept }} without a tag</p>").text, "{{ kept }} without a tag");
  EXPECT_EQ(read_html("<p>{% open</p>").text, "{% open");
}

TEST(HtmlSections, HaveTheIdsOfHeadingsAndOfTheirSections) {
  const auto document = read_html(
      "<section id=\"first\"><h2>One<a class=\"headerlink\" href=\"#first\">¶</a></h2><p>a</p>"
      "</section><h2 id=\"second\">Two</h2><a name=\"third\"></a><h3>Three</h3><h2>Four</h2>");
  std::string anchors;
  for (const auto& section : document.sections) anchors += section.anchor + "=" + section.heading + " ";
  EXPECT_EQ(anchors, "first=One second=Two third=Three four=Four ");
}

TEST(HtmlHead, SaysWhatThePageIs) {
  const model::PageHead head = LibraryMarkup().head(
      "<html lang=\"de\"><head><title> A title </title><meta name=\"description\" content=\"About\">"
      "<meta name=keywords content=\"a, b\"><link rel=canonical href=\"https://x/y\"><meta name=author content=Ada>"
      "<meta name=\"robots\" content=\"noindex\"></head><body><title>no</title></body></html>");
  EXPECT_EQ(head.description, "About");
  EXPECT_EQ(head.language, "de");
  EXPECT_EQ(head.canonical, "https://x/y");
  EXPECT_EQ(head.author, "Ada");
  EXPECT_EQ(head.keywords, (std::vector<std::string>{"a", "b"}));
  EXPECT_TRUE(head.is_hidden);
}

TEST(MainPart, IsThatOfThePageWithAbsoluteAddresses) {
  const auto part = [](std::string_view body) {
    return LibraryMarkup().main_part("<html><head><title>T</title></head><body>" + std::string(body) + "</body></html>",
                                     "https://docs.example.org/guide/a");
  };
  EXPECT_EQ(part("<nav>n</nav><main><h1>ä &amp; b</h1> <pre>x\n  y</pre></main>"),
            "<h1>ä &amp; b</h1> <pre>x\n  y</pre>");
  EXPECT_EQ(part("<article>a<header>h</header></article>"), "a<header>h</header>");
  EXPECT_EQ(part("<nav>n</nav><div>a<footer>f</footer><aside>s</aside></div><!-- c -->"), "<div>a</div>");
  EXPECT_EQ(part("<main><a href=\"b\">b</a><img src=\"/p.png\"><a href=\"#c\">c</a><script>s</script></main>"),
            "<a href=\"https://docs.example.org/guide/b\">b</a><img src=\"https://docs.example.org/p.png\">"
            "<a href=\"#c\">c</a>");
}

TEST(MainPart, TakesTheBaseOfThePage) {
  EXPECT_EQ(
      LibraryMarkup().main_part("<html><head><base href=\"../v2/\"></head><body><main><a href=\" b c.html?d=ä \">b</a>"
                                "</main></body></html>",
                                "https://docs.example.org/guide/a"),
      "<a href=\"https://docs.example.org/v2/b%20c.html?d=%C3%A4\">b</a>");
}

TEST(MainPart, KeepsTheTextOfDeeplyNestedElements) {
  std::string page = "<html><body><main>";
  for (int i = 0; i < 10'000; ++i) page += "<div>";
  page += "bottom";
  const std::string part = LibraryMarkup().main_part(page, "https://docs.example.org/");
  EXPECT_EQ(read_html(part).text, "bottom");
}

TEST(PlainText, IsKept) { EXPECT_EQ(LibraryMarkup().document("# a\n<b>", model::Format::Text).text, "# a\n<b>"); }

}  // namespace
}  // namespace kbase::markup
