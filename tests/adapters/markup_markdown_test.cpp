// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <string>

#include "adapters/markup/library_markup.hpp"
#include "adapters/markup/markdown_text.hpp"

namespace kbase::markup {
namespace {

model::Document read_markdown(std::string_view markdown) {
  return LibraryMarkup().document(markdown, model::Format::Markdown);
}
std::string text_of(std::string_view markdown) { return read_markdown(markdown).text; }

/// The sections as "LEVEL #ANCHOR HEADING", separated by "; ".
std::string sections_of(std::string_view markdown) {
  std::string text;
  for (const model::Section& section : read_markdown(markdown).sections)
    text += (text.empty() ? "" : "; ") + std::to_string(section.level) + " #" + section.anchor + " " + section.heading;
  return text;
}

TEST(MarkdownText, HasNoMarkup) {
  EXPECT_EQ(text_of("A *b* **c** `d` ~~e~~ [f](http://x) ![g](h.png) <i>j</i> &amp; &nbsp;k"),
            "A b c d e f j & \u00A0k");
  EXPECT_EQ(text_of("- one\n- two\n\n> three\n\n1. four"), "one\ntwo\nthree\nfour");
  EXPECT_EQ(text_of("| A | B |\n|---|---|\n| 1 | 2 |"), "A B\n1 2");
  EXPECT_EQ(text_of("[a][1] and [b]\n\n[1]: http://x\n[b]: <http://y> \"title\""), "a and b");
  EXPECT_EQ(text_of("a <!-- hidden\nlines -->b"), "a b");
}

TEST(MarkdownText, KeepsCodeAsItIs) {
  EXPECT_EQ(text_of("```js title=\"x\"\nif (a < b) {{ x }}\n  *y*\n```"), "if (a < b) {{ x }}\n  *y*");
  EXPECT_EQ(text_of("text\n\n    indented {{ code }}\n"), "text\nindented {{ code }}");
  EXPECT_EQ(text_of("Use `{{ page.title }}` and `<Tabs>` and ``a`b``."), "Use {{ page.title }} and <Tabs> and a`b.");
  EXPECT_EQ(text_of("~~~\n# no heading\n~~~"), "# no heading");
}

TEST(MarkdownText, KeepsTheStarOfAProduct) {
  EXPECT_EQ(text_of("Use char *p and **kwargs and 5*3, `2*2`."), "Use char *p and **kwargs and 5*3, 2*2.");
  EXPECT_EQ(text_of("Un*believ*able **5**3"), "Unbelievable 53");
}

TEST(MarkdownText, KeepsWhatOnlyLooksLikeATag) {
  EXPECT_EQ(text_of("cd <directory> and Vec<u8> and List<String> or a < b"),
            "cd <directory> and Vec<u8> and List<String> or a < b");
}

TEST(MarkdownText, HasNoTraceOfMdx) {
  EXPECT_EQ(
      text_of(
          "import Tabs from '@theme/Tabs';\nexport const x = {\n  a: 1,\n};\n\n# Title\n\n<Tabs groupId=\"os\">\n"
          "  <TabItem value=\"a\" label=\"Linux\">\n\n    Text {props.name} and {/* no */} {'yes'}\n\n  </TabItem>\n"
          "</Tabs>"),
      "Title\nLinux\nText and yes");
  EXPECT_EQ(text_of("import X from 'y'\n\n<div style={{color: 'red'}} className=\"a\">text</div>"), "text");
}

TEST(MarkdownText, HasNoTraceOfAdmonitions) {
  EXPECT_EQ(text_of(":::note[Careful]\nBody\n:::"), "Careful\nBody");
  EXPECT_EQ(text_of(":::tip Title\nBody\n:::"), "Title\nBody");
  EXPECT_EQ(text_of("::: {.note}\nBody\n:::"), "Body");
  EXPECT_EQ(text_of("!!! warning \"Watch out\"\n    Inner **bold**\n\n    ```py\n    code()\n    ```\n\nAfter"),
            "Watch out\nInner bold\ncode()\nAfter");
  EXPECT_EQ(text_of("=== \"Tab A\"\n    content a\n\n=== \"Tab B\"\n    content b"),
            "Tab A\ncontent a\nTab B\ncontent b");
  EXPECT_EQ(text_of("> [!NOTE]\n> quoted"), "quoted");
  EXPECT_EQ(text_of("> [!note]- Folded title\n> body"), "Folded title body");
  EXPECT_EQ(text_of("```{note} A title\nText *here*\n```"), "A title\nText here");
}

TEST(MarkdownText, HasNoTraceOfShortcodesAndLiquid) {
  EXPECT_EQ(text_of("A {{< figure src=\"a.png\" >}}b {{% note %}}c{{% /note %}}"), "A b c");
  EXPECT_EQ(text_of("The {{< glossary_tooltip text=\"pods\" term_id=\"pod\" >}} run"), "The pods run");
  EXPECT_EQ(text_of("A {{ site.name | upcase }}{% if x %}b{% endif %}{% comment %}c{% endcomment %}"), "A b");
  EXPECT_EQ(text_of("{% raw %}{{ kept }}{% endraw %}"), "{{ kept }}");
  EXPECT_EQ(text_of("{% highlight ruby %}\nputs {{ x }}\n{% endhighlight %}"), "puts {{ x }}");
  EXPECT_EQ(text_of("{{< highlight go >}}\nfunc *a\n{{< /highlight >}}"), "func *a");
  EXPECT_EQ(text_of("see [docs]\n\n[docs]: {{< relref \"docs\" >}}"), "see docs");
  EXPECT_EQ(text_of("```\n{{</* note */>}}\n```"), "{{< note >}}");
  EXPECT_EQ(text_of("a\n{: .class #id }\nb {:.x}"), "a\nb");
}

TEST(MarkdownText, HasNoMarksOfEmphasisAroundNothing) {
  EXPECT_EQ(text_of("Run **{{ site.version }}** or __{% x %}__ now"), "Run or now");
  EXPECT_EQ(text_of("**bold {{ x }}** *a* {{ x }}*b*, **{{ x }} c**"), "bold a b, c");
}

TEST(MarkdownText, HasTheItemsOfAnOutline) {
  EXPECT_EQ(text_of("# Usage\n\t- one *a*\n\t\t- ![x](y.png)\n\t\t  two\n# Next\n\n    - code *a*"),
            "Usage\none a\ntwo\nNext\n- code *a*");
}

TEST(MarkdownText, HasNoTraceOfWikis) {
  EXPECT_EQ(text_of("[[Page]] [[Page|shown]] [[Page#Part]] ![[image.png]] [[#Here]]"), "Page shown Page Here");
  EXPECT_EQ(text_of("title:: A\ntags:: b\n\n- text ((65f2f2a1-7c2e-4b0e-9d5a-0123456789ab))\n- {{embed [[X]]}}"),
            "text");
  EXPECT_EQ(text_of("text ^37066d\n\n%%hidden%% ==marked== text"), "text\nmarked text");
  EXPECT_EQ(text_of("[text](Name of a page) and #[[a tag]]"), "text and a tag");
}

TEST(MarkdownText, HasTheItemsOfCards) {
  EXPECT_EQ(text_of("<div class=\"grid cards\" markdown>\n\n-   :material-rabbit: &nbsp; __Title__\n\n    ---\n\n"
                    "    Some __text__.\n\n</div>\n"),
            "\xC2\xA0 Title\nSome text.");
}

TEST(MarkdownText, HasNoTraceOfFootnotes) {
  EXPECT_EQ(
      text_of("A note[^1].\n\n  [^1]:\n    Use `x` or **bold** <!-- no --> and [link](x.md).\n\n    More.\n\nEnd.\n"),
      "A note.\nUse x or bold and link.\nMore.\nEnd.");
  EXPECT_EQ(text_of("A note[^1].\n\n[^1]: One\n\n        code **x**\n"), "A note.\nOne\ncode **x**");
}

TEST(MarkdownText, HasTheTextOfLinksWhoseTargetIsNotDefined) {
  EXPECT_EQ(text_of("The [`site` folder][mkdocs.site_dir], [this][] and [that][b].\n\n [B]: x.md\n"),
            "The site folder, this and that.");
  EXPECT_EQ(text_of("The [site\nfolder][mkdocs.site_dir] and [this] [mkdocs.site_dir], [not] [this]"),
            "The site folder and this, [not] [this]");
  EXPECT_EQ(text_of("a[i][j] and `[i][j]`, [x] and ![y][z]"), "a[i][j] and [i][j], [x] and ![y][z]");
}

TEST(MarkdownText, HasNoTraceOfOtherNotations) {
  EXPECT_EQ(text_of("{{#include file.rs}}\n\n--8<-- \"file\"\n\ntext"), "text");
  EXPECT_EQ(text_of("text[^1] more\n\n[^1]: A note"), "text more\nA note");
  EXPECT_EQ(text_of("{ref}`the text <target>` and {++added++}{--gone--} ++ctrl+c++ :material-check:"),
            "the text and added ctrl+c");
  EXPECT_EQ(text_of("[TOC]\n\n[[_TOC_]]\n\nC++ and g++ or a ^ b"), "C++ and g++ or a ^ b");
}

TEST(MarkdownSections, HaveTheAnchorsOfGitHub) {
  EXPECT_EQ(sections_of("# What's *new*?\n## `git commit` --amend\n## A/B & C\n## Übung_1\n## 日本語"),
            "1 #whats-new What's new?; 2 #git-commit---amend git commit --amend; 2 #ab--c A/B & C; 2 #übung_1 Übung_1; "
            "2 #日本語 日本語");
  EXPECT_EQ(sections_of("## Same\n## Same\n## Same-1\n## Same"),
            "2 #same Same; 2 #same-1 Same; 2 #same-1-1 Same-1; 2 #same-2 Same");
}

TEST(MarkdownSections, HaveTheAnchorsThatTheAuthorGave) {
  EXPECT_EQ(sections_of("## One {#first}\n## <a name=\"second\"></a>Two\n## Three {: #third .x }"),
            "2 #first One; 2 #second Two; 2 #third Three");
}

TEST(MarkdownSections, BeginWithHeadingsOfLevelsOneToFour) {
  EXPECT_EQ(sections_of("One\n===\n\nTwo\n---\n\n#### Four ####\n\n##### Five\n\n<h3>Three</h3>"),
            "1 #one One; 2 #two Two; 4 #four Four; 3 #three Three");
  const model::Document document = read_markdown("before\n\n# A\n\ntext\n\n## B\n\nend");
  ASSERT_EQ(document.sections.size(), 2u);
  EXPECT_EQ(document.text.substr(document.sections[0].begin), "A\ntext\nB\nend");
  EXPECT_EQ(document.text.substr(document.sections[1].begin), "B\nend");
  EXPECT_EQ(document.heading, "A");
}

TEST(MarkdownLine, IsPlainText) {
  const LibraryMarkup markup;
  EXPECT_EQ(markup.line("[Linked](http://x) `code` **bold**"), "Linked code bold");
  EXPECT_EQ(markup.line("![logo](a.png) Tool {#id}"), "Tool");
  EXPECT_EQ(markup.line("The __init__.py of *args"), "The __init__.py of *args");
  EXPECT_EQ(markup.line("1. First"), "1. First");
  EXPECT_EQ(markup.line("# Not a heading"), "# Not a heading");
  EXPECT_EQ(markup.line("  A &amp; B <b>C</b>\n"), "A & B C");
  EXPECT_EQ(markup.line(""), "");
}

TEST(MarkdownText, TakesTimeLinearInItsSize) {
  // Each would take minutes if the time were quadratic.
  for (const std::string_view part : {"[",       "{{",
                                      "<a ",     "<A b={",
                                      "`",       "*a ",
                                      "![[",     "> ",
                                      "- ",      "{%",
                                      "<!--",    "((",
                                      "**a*",    "{% comment %}",
                                      "<!--\n",  "`<!--x-->",
                                      "{#a} ",   "import {\n\n",
                                      "[a][b] ", "[a][b]\n\n[b]: c\n"}) {
    std::string text;
    while (text.size() < 200'000) text += part;
    EXPECT_LE(text_of(text).size(), text.size() * 2) << part;
  }
  std::string nested;
  for (int i = 0; i < 10'000; ++i) nested += "<div>";
  EXPECT_EQ(text_of(nested + "x"), "x");
}

TEST(MarkdownText, IsThatOfItsHtmlIfPicturesAreMalformed) {
  for (const char* text :
       {"![![](&)-*{y<{1[](&)-*{y<{1[](&)-*{y<*{{<", "![a ![b](c) d](e) f", "![[![]]()", "!]![](x"}) {
    const PlainMarkdown plain = plain_markdown(text);
    EXPECT_EQ(markdown_document(plain).text, markdown_document_by_html(plain).text) << text;
  }
}

TEST(MarkdownText, IsThatOfItsHtmlWithTagsAndEntitiesInALine) {
  for (const char* text : {"a <b>c</b>d", "a<br>b<br/>c<br />d", "<a href=\"/x\">a</a> b", "a <a name=\"x\">b</a>",
                           "a <i class=\"sr-only\">b</i>", "x &lt;y&gt; &amp; &quot;z&quot; &copy;",
                           "a <kbd> b </kbd> c", "# A <code>b</code>\n\n<sub>c</sub>", "![a <b>c</b>](d) e", "a </b> c",
                           "| a <br> b |\n|---|\n| <b>c</b> |", "a <B>b</B> <br clear=\"all\"> c"}) {
    const PlainMarkdown plain = plain_markdown(text);
    const model::Document direct = markdown_document(plain), by_html = markdown_document_by_html(plain);
    EXPECT_EQ(direct.text, by_html.text) << text;
    EXPECT_EQ(direct.sections, by_html.sections) << text;
  }
  const PlainMarkdown control = plain_markdown("<a href=\"\x01\">a</a> b");
  EXPECT_EQ(markdown_document(control).text, markdown_document_by_html(control).text);
}

TEST(MarkdownText, HasNoControlCharacters) {
  EXPECT_EQ(LibraryMarkup().document("a\x1A\x01z \xEF\xBF\xBF.", model::Format::Markdown).text, "az .");
}

}  // namespace
}  // namespace kbase::markup
