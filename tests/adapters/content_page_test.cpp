// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <string>

#include "adapters/content/page_reader.hpp"
#include "adapters/markup/library_markup.hpp"
#include "tests/adapters/content_sources.hpp"

namespace kbase::content {
namespace {

class PageText : public testing::Test {
 protected:
  /// The item as `described()` without what is empty; "left out", or "LINE: reason".
  std::string page(std::string_view text, model::Format format = model::Format::Markdown) {
    PageFile file;
    file.id = "guide/page";
    file.category = "guide";
    file.name = "Page";
    file.format = format;
    file.named = named_;
    file.day = day_;
    PageReader reader(markup_, kToday, keeps_drafts_);
    const auto outcome = reader.read(text, file, [](std::string_view body) { return body; });
    warnings_.clear();
    for (const auto& warning : reader.warnings())
      warnings_ += std::to_string(warning.line) + ": " + warning.reason + ";";
    if (const auto* defect = std::get_if<PageReader::Defect>(&outcome))
      return std::to_string(defect->line) + ": " + defect->reason;
    const auto* item = std::get_if<ports::ItemRecord>(&outcome);
    if (item == nullptr) return "left out";
    std::string text_of_item = std::string(item->title) + "|" + std::string(item->content);
    const auto add = [&text_of_item](std::string_view name, const std::string& value) {
      if (!value.empty() && value != "[]" && value != "-")
        text_of_item.append(" ").append(name).append("=").append(value);
    };
    if (item->id != "guide/page") add("id", std::string(item->id));
    if (item->category != "guide") add("category", std::string(item->category));
    add("summary", std::string(item->summary));
    add("tags", joined(item->tags));
    add("aliases", joined(item->aliases));
    add("author", std::string(item->metadata.author));
    add("url", std::string(item->url));
    add("language", std::string(item->language));
    add("version", std::string(item->version));
    add("created", day_text(item->created));
    add("updated", day_text(item->updated));
    add("extra", std::string(item->metadata.extra));
    return text_of_item;
  }

  markup::LibraryMarkup markup_;
  std::optional<model::Day> named_, day_;
  bool keeps_drafts_ = false;
  std::string warnings_;
};

TEST_F(PageText, HasTheTitleOfItsFirstHeading) {
  EXPECT_EQ(page("## What is it?\n"), "What is it?|## What is it?\n");
  EXPECT_EQ(page("Under\n=====\n"), "Under|Under\n=====\n");
  EXPECT_EQ(page("text\n<h1>In <i>HTML</i></h1>"), "In HTML|text\n<h1>In <i>HTML</i></h1>");
  EXPECT_EQ(page("```\n# code\n```\n"), "Page|```\n# code\n```\n");
  EXPECT_EQ(page("# [Linked](x) `code` {#id}"), "Linked code|# [Linked](x) `code` {#id}");
  EXPECT_EQ(page("no heading"), "Page|no heading");
  EXPECT_EQ(page("Title: Plain\nAuthor: Ada\n\nText"), "Plain|\nText author=Ada");
  EXPECT_EQ(page("title:: Wiki\ntags:: a, b\n\n- Text"), "Wiki|\n- Text tags=[a|b]");
}

TEST_F(PageText, HasFrontMatterOfThreeForms) {
  EXPECT_EQ(page("---\ntitle: T\ntags: [a, b]\nauthor: Ada\nWeight2: x\n---\nBody\n"),
            "T|Body\n tags=[a|b] author=Ada extra=\"Weight2\":\"x\"");
  EXPECT_EQ(page("+++\ntitle = 'T'\ntags = ['a', 'b']\nauthor = 'Ada'\ndate = 2024-02-29T23:30:00-05:00\n+++\nBody\n"),
            "T|Body\n tags=[a|b] author=Ada created=2024-03-01 updated=2024-03-01");
  EXPECT_EQ(page("{\n\"title\": \"T\", \"tags\": [\"a\"]\n}\nBody\n"), "T|Body\n tags=[a]");
}

TEST_F(PageText, HasFrontMatterAfterComments) { EXPECT_EQ(page("---\n# A note\n\ntitle: T\n---\nBody\n"), "T|Body\n"); }

TEST_F(PageText, BeginsWithARule) {
  EXPECT_EQ(page("---\n\ntext\n"), "Page|---\n\ntext\n");
  EXPECT_EQ(page("---\nA sentence between rules.\n---\nmore\n"),
            "A sentence between rules.|---\nA sentence between rules.\n---\nmore\n");
  EXPECT_EQ(page("{{% note %}}\ntext"), "Page|{{% note %}}\ntext");
}

TEST_F(PageText, HasTheMembersOfEveryGenerator) {
  EXPECT_EQ(page("---\nTitle: T\nDescription: About it\nkeywords: one, two\ncategories: [three]\nauthors:\n- name: "
                 "Ada\n- Bob\n"
                 "slug: /the/slug\nredirect_from: /old\nlang: pt_BR\nversion: 1.20\n---\nx"),
            "T|x summary=About it tags=[one|two|three] aliases=[/old] author=Ada, Bob url=/the/slug language=pt-BR "
            "version=1.20");
  EXPECT_EQ(page("---\ntitle: T\npermalink: https://a.example/b\naliases: [X]\nlast_update:\n  date: 2024/5/6\n---\nx"),
            "T|x aliases=[X] url=https://a.example/b updated=2024-05-06");
  EXPECT_EQ(page("---\ntitle: T\nms.date: 02/29/2024\ncreated_at: Jan 2, 2023\n---\nx"),
            "T|x created=2023-01-02 updated=2024-02-29");
  EXPECT_EQ(page("---\ntitle: >\n  a\n  b\ndate:\n  created: 2024-01-01\n  updated: 2024-02-02\n---\nx"),
            "a b|x created=2024-01-01 updated=2024-02-02");
  EXPECT_EQ(page("---\ntitle: \"a\\_b\\Nc\"\n---\nx"), "a\u00A0b\u0085c|x");
}

TEST_F(PageText, NamesTheLineOfMalformedToml) {
  EXPECT_EQ(page("+++\ntitle = \"T\"\n[%]\n+++\nx").substr(0, 12), "3: not TOML:");
  EXPECT_EQ(page("+++\ntitle = \"T\"\n\u00C4 = 1\n+++\nx").substr(0, 12), "3: not TOML:");
}

TEST_F(PageText, IsLeftOutAsItsSiteDoes) {
  for (const char* member : {"draft: true", "published: false", "expiryDate: 2026-03-13", "search: exclude",
                             "search:\n  exclude: true", "unlisted: true", "pagefind: false", "redirect_to: /x"})
    EXPECT_EQ(page("---\ntitle: T\n" + std::string(member) + "\n---\nx"), "left out") << member;
  EXPECT_EQ(page("---\ntitle: T\nexpiryDate: 2026-03-14\n---\nx"), "T|x");
  EXPECT_EQ(page(""), "left out");
  EXPECT_EQ(page("---\nlayout: x\n---\n\n"), "left out");
  EXPECT_EQ(page("<script>\nrun();\n</script>\n"), "left out");
  EXPECT_EQ(page("---\ntitle: T\n---\n<script>run()</script>"), "T|<script>run()</script>");
  keeps_drafts_ = true;
  EXPECT_EQ(page("---\ntitle: T\ndraft: true\n---\nx"), "T|x");
  EXPECT_EQ(page("---\ntitle: T\nunlisted: true\n---\nx"), "left out");
}

TEST_F(PageText, LosesAValueOfAWrongShapeAlone) {
  EXPECT_EQ(page("---\ntitle: T\ndate: soon\ntags: {a: 1}\nlang: the best\nviews: many\n---\nx"), "T|x");
  EXPECT_EQ(
      warnings_,
      "3: date is not a date; it is ignored;4: tags must be a list; it is ignored;5: lang is no language tag, such as "
      "en or pt-BR; it is ignored;6: views is not a count; it is ignored;");
}

TEST_F(PageText, IsRejectedWithTheLineOfItsYaml) {
  EXPECT_EQ(page("---\ntitle: @x\n---\nx").substr(0, 13), "2: not YAML: ");
  EXPECT_NE(page("---\ntitle: @x\n---\nx").find("in `title: @x`; put the value in quotes"), std::string::npos);
  EXPECT_EQ(page("---\ntitle: x\n"), "1: the front matter has no closing line '---'");
  EXPECT_EQ(page("# a\n\xFF"), "2: is not valid UTF-8");
}

TEST_F(PageText, HasTheDateOfItsFileWithoutAnother) {
  day_ = *model::parse_day("2025-01-01");
  EXPECT_EQ(page("x"), "Page|x created=2025-01-01 updated=2025-01-01");
  named_ = *model::parse_day("2024-01-01");
  EXPECT_EQ(page("x"), "Page|x created=2024-01-01 updated=2024-01-01");
  EXPECT_EQ(page("---\nupdated: 2026-01-01\n---\nx"), "Page|x created=2024-01-01 updated=2026-01-01");
}

TEST_F(PageText, OfHtmlHasTheMembersOfItsHead) {
  EXPECT_EQ(page("<html lang=en><head><title>Whole</title><meta name=description content=About><link rel=canonical "
                 "href=https://a.example/b></head><body><h1>Shown</h1></body></html>",
                 model::Format::Html)
                .substr(0, 6),
            "Shown|");
  EXPECT_NE(page("<html lang=en><head><title>W</title><meta name=description content=About><link rel=canonical "
                 "href=https://a.example/b></head><body>x</body></html>",
                 model::Format::Html)
                .find("summary=About url=https://a.example/b language=en"),
            std::string::npos);
}

}  // namespace
}  // namespace kbase::content
