// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <string>

#include "adapters/base/yaml.hpp"
#include "adapters/content/child_process.hpp"
#include "adapters/content/converters.hpp"
#include "adapters/content/dates.hpp"
#include "adapters/content/glob.hpp"
#include "adapters/content/page_links.hpp"
#include "adapters/content/page_paths.hpp"
#include "adapters/content/readable_names.hpp"

namespace kbase::content {
namespace {

TEST(Glob, MatchesSegmentsAndFolders) {
  EXPECT_TRUE(matches_glob("*.md", "a.md"));
  EXPECT_FALSE(matches_glob("*.md", "a/b.md"));
  EXPECT_TRUE(matches_glob("**/*.md", "a/b/c.md"));
  EXPECT_TRUE(matches_glob("**/*.md", "c.md"));
  EXPECT_TRUE(matches_glob("a/**/d", "a/b/c/d"));
  EXPECT_TRUE(matches_glob("v[0-9].?", "v3.5"));
  EXPECT_FALSE(matches_glob("v[!0-9].?", "v3.5"));
  EXPECT_FALSE(matches_glob("a*b*c*d", std::string(1000, 'a')));
  EXPECT_TRUE(is_selected({"drafts"}, "guide/drafts/a.md"));
  EXPECT_TRUE(is_selected({"guide/old/"}, "guide/old/a/b.md"));
  EXPECT_FALSE(is_selected({"guide/old"}, "other/guide/old/a.md"));
}

TEST(IgnoreFile, FollowsTheRulesOfGit) {
  const IgnoreRules rules("# comment\n*.tmp\n!keep.tmp\n/build\nlogs/\ndoc/*.txt\n");
  using Verdict = IgnoreRules::Verdict;
  EXPECT_EQ(rules.verdict("a/b.tmp", false), Verdict::Ignored);
  EXPECT_EQ(rules.verdict("a/keep.tmp", false), Verdict::Kept);
  EXPECT_EQ(rules.verdict("build", true), Verdict::Ignored);
  EXPECT_EQ(rules.verdict("a/build", true), Verdict::None);
  EXPECT_EQ(rules.verdict("a/logs", true), Verdict::Ignored);
  EXPECT_EQ(rules.verdict("logs", false), Verdict::None);
  EXPECT_EQ(rules.verdict("doc/a.txt", false), Verdict::Ignored);
  EXPECT_EQ(rules.verdict("a/doc/a.txt", false), Verdict::None);
}

TEST(Converters, WithoutProgramsKnowNotebooksAlone) {
  EXPECT_TRUE(Converters().knows(".adoc"));
  const Converters without({{".odt", "convert {file}"}}, /*runs_programs=*/false);
  EXPECT_FALSE(without.knows(".adoc"));
  EXPECT_FALSE(without.knows(".odt"));
  EXPECT_TRUE(without.knows(".ipynb"));
}

std::string date_of(std::string_view text) {
  const auto day = parse_any_date(text);
  return day ? model::format_day(*day) : "-";
}

TEST(Dates, HaveTheFormsThatGeneratorsWrite) {
  for (const char* text :
       {"2024-02-29", "2024-2-29", "2024/02/29", "20240229", "02/29/2024", "Feb 29, 2024", "February 29 2024",
        "29 February 2024", "Thu, 29 Feb 2024 10:00:00 GMT", "2024-02-29T10:00:00Z", "2024-02-29 10:00:00",
        "2024-03-01T03:00:00+05:30", "2024-02-28T23:30:00-0500", "2024-02-28 23:30:00 -05:00"})
    EXPECT_EQ(date_of(text), "2024-02-29") << text;
  for (const char* text : {"", "soon", "2024", "2023-02-29", "13/13/2024", "1.2.3", "99999999999999999999", "-"})
    EXPECT_EQ(date_of(text), "-") << text;
  EXPECT_EQ(model::format_day(*date_in_name("2016-10-06-x.md")), "2016-10-06");
  EXPECT_EQ(model::format_day(*date_in_name("2020_05_14.org")), "2020-05-14");
  EXPECT_FALSE(date_in_name("2016-10-06x.md"));
}

TEST(Names, AreReadable) {
  EXPECT_EQ(readable_name("what-is-ownership"), "What is ownership");
  EXPECT_EQ(readable_name("01-getting_started"), "Getting started");
  EXPECT_EQ(readable_name("2016-10-06-jekyll-3"), "Jekyll 3");
  EXPECT_EQ(readable_name("3.5"), "3.5");
  EXPECT_EQ(readable_name("My Page_x"), "My Page_x");
}

TEST(PagePaths, NameTheLanguageAndTheVersion) {
  EXPECT_EQ(facts_of("en/docs/v3.5/install").language, "en");
  EXPECT_EQ(facts_of("en/docs/v3.5/install").version, "v3.5");
  EXPECT_EQ(facts_of("versioned_docs/version-1.2.x/a").version, "1.2.x");
  EXPECT_EQ(facts_of("zh-cn/a").language, "zh-cn");
  EXPECT_EQ(facts_of("guide/start.de").language, "de");
  EXPECT_EQ(facts_of("guide/start.pt_BR").language, "pt-BR");
  EXPECT_EQ(facts_of("guide/node.js").language + facts_of("de").language, "");
  EXPECT_EQ(facts_of("io/is/2024/v1").language + facts_of("io/2024/a").version, "");
}

TEST(PageLinks, LeadToPagesOfTheSource) {
  PageLinks links;
  links.add("guide/setup", "guide/setup");
  links.add("guide/index", "guide");
  links.add("other/Notes", "other/Notes");
  const auto linked = [&](std::string_view body) {
    std::string ids;
    for (const std::string& id : links.linked(body, "guide/a", "guide/a")) ids += id + " ";
    return ids;
  };
  EXPECT_EQ(linked("[a](setup.md) [b](./setup#x) [c](../other/Notes.md) [d](/guide/) [e](http://x) [f](#g)"),
            "guide/setup other/Notes guide ");
  EXPECT_EQ(linked("[[notes]] and [[Setup|it]] and [r]: setup.md\n<a href=\"setup.html\">"),
            "other/Notes guide/setup ");
  EXPECT_EQ(linked("[a](../../../etc/passwd) [b](missing.md)"), "");
  EXPECT_EQ(links.meant("setup", "guide/a"), "guide/setup");
  EXPECT_EQ(links.meant("notes", "guide/a"), "other/Notes");
  EXPECT_EQ(links.meant("elsewhere", "guide/a"), "elsewhere");
}

TEST(Yaml, HasTheEscapesThatYamlCppWritesAsOneByte) {
  EXPECT_EQ(yaml::repaired("a\xA0"), "a\u00A0");
  EXPECT_EQ(yaml::repaired("\x85ü"), "\u0085ü");
  EXPECT_EQ(yaml::repaired("plain"), "plain");
}

std::string converted(const std::string& command, const std::filesystem::path& path, std::string_view bytes) {
  const Converters converters({{"Page", command}});
  if (!converters.knows(".page") || !converters.missing_package(".page").empty()) return "unknown";
  const auto text = converters.convert(".page", path, bytes, {});
  return text ? std::string(model::name_of(text->format)) + " " + text->text : text.error().message;
}

TEST(Converters, RunConfiguredCommandsWithoutAShell) {
  EXPECT_EQ(converted("cat", "a.page", "# Title"), "markdown # Title");
  EXPECT_EQ(converted("cat -", "a.page", "\n<h1>Title</h1>"), "html \n<h1>Title</h1>");
  EXPECT_EQ(converted("printf '%s|' \"a b\" $HOME {file} x={file}", "/dir/a.page", ""),
            "markdown a b|$HOME|/dir/a.page|x=/dir/a.page|");
  EXPECT_EQ(converted("cat {file}", "/dir/a.page.gz", ""), "cat reads files, and this one is compressed");
  EXPECT_EQ(converted("cat /nowhere/file", "a.page", ""), "cat: cat: /nowhere/file: No such file or directory");
  EXPECT_EQ(converted("kbase-no-such-program", "a.page", ""), "kbase-no-such-program is not installed");
  EXPECT_EQ(converted("printf \\377", "a.page", ""), "printf wrote text that is not UTF-8");
  EXPECT_EQ(converted("   ", "a.page", ""), "the command of content.converters is empty");
}

TEST(ChildProcess, IsBounded) {
  ports::Call call;
  const auto run = [&](std::vector<std::string> command, std::string_view input = {}, ChildLimits limits = {}) {
    const auto ended = run_program(command, input, limits, call);
    return ended ? ended->output + std::to_string(ended->exit_code) : ended.error().message;
  };
  EXPECT_EQ(run({"cat"}, "text"), "text0");
  EXPECT_EQ(run({"false"}), "1");
  EXPECT_EQ(run({"cat"}, std::string(1 << 20, 'x')).size(), (1u << 20) + 1);
  EXPECT_EQ(run({"sleep", "60"}, {}, {.time = std::chrono::milliseconds(1000)}), "did not end within 1 s");
  EXPECT_EQ(run({"yes"}, {}, {.output_bytes = 1 << 20}), "wrote more than 1 MiB");
  EXPECT_NE(run({"no-such-program-of-kbase"}).find("No such file"), std::string::npos);
  const std::atomic<bool> cancelled = true;
  call.cancel = &cancelled;
  EXPECT_EQ(run({"sleep", "60"}), "the import was interrupted");
}

}  // namespace
}  // namespace kbase::content
