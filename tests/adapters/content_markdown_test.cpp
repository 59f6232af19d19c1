// SPDX-License-Identifier: Apache-2.0
#include <unistd.h>

#include "adapters/content/markdown.hpp"
#include "tests/adapters/content_sources.hpp"

namespace kbase::content {
namespace {

class Markdown : public ContentFiles {
 protected:
  std::string record(const std::string& text) {
    MarkdownParser parser;
    const Record record = parser.item(text, {"file", "folder"});
    return described({{"file.md", parser.defect_line()}, record});
  }
};

class MarkdownFolder : public ContentFiles {
 protected:
  std::vector<std::string> records() {
    const Reading reading = read_source(path("kb"));
    std::vector<std::string> short_records;
    for (const std::string& record : reading.records)  // without the content
      short_records.push_back(local(record.substr(0, record.find(" content="))));
    if (!reading.error.empty()) short_records.push_back("error " + local(reading.error));
    return short_records;
  }
};

TEST_F(Markdown, ReadsItsMembersFromTheFrontMatter) {
  EXPECT_EQ(
      record("---\ntitle: T\nid: x\ncategory: c\ntags: [a, 2]\nrelated:\n- b\nauthor: Ada\ncreated: 2024-02-29\n"
             "updated: 2024-03-01\nviews: 7\nweight: 1.50\ndraft: false\nnote: 'no'\nlist: [1, {k: ~}]\n---\nBody\n"),
      "0: item id=x title=T category=c content=Body\n tags=[a|2] related=[b] author=Ada created=2024-02-29 "
      "updated=2024-03-01 views=7 further=\"weight\":1.50,\"draft\":false,\"note\":\"no\",\"list\":[1,{\"k\":null}]");
}

TEST_F(Markdown, WithoutFrontMatterUsesFileFolderAndHeading) {
  const std::string rest = " tags=[] related=[] author= created=- updated=- views=0 further=";
  EXPECT_EQ(record("```\n# no heading\n```\n## two\n#  One # \ntext"),
            "0: item id=file title=One category=folder content=```\n# no heading\n```\n## two\n#  One # \ntext" + rest);
  EXPECT_EQ(record("\xEF\xBB\xBFtext\r\n"), "0: item id=file title=file category=folder content=text\r\n" + rest);
  EXPECT_EQ(record(""), "0: item id=file title=file category=folder content=" + rest);
  EXPECT_EQ(record("---\r\ntitle:\r\n---\r\n\r\nB"), "0: item id=file title=file category=folder content=\r\nB" + rest);
  EXPECT_EQ(record("---\n---\n# H"), "0: item id=file title=H category=folder content=# H" + rest);
}

TEST_F(Markdown, ReadsPlainScalarsAsTextWhereTextIsExpected) {
  EXPECT_EQ(record("---\ntitle: 2024\nid: 7\nauthor: true\n---\n").substr(0, 47),
            "0: item id=7 title=2024 category=folder content");
}

TEST_F(Markdown, IsRejectedWithTheLineOfTheError) {
  EXPECT_EQ(record("---\ntitle: T\n\ntext"), "1: reject the front matter has no closing line '---'");
  EXPECT_EQ(record("---\ntitle: T\ntags: [a\n---\n").substr(0, 21), "4: reject not YAML: e");
  EXPECT_EQ(record("---\n- a\n---\n"), "2: reject expected members as KEY: VALUE");
  EXPECT_EQ(record("---\ntags: a\n---\n"), "2: reject tags must be an array of strings");
  EXPECT_EQ(record("---\ntitle: [a]\n---\n"), "2: reject title must be a string");
  EXPECT_EQ(record("---\ntitle: a\ntitle: b\n---\n"), "3: reject title is given twice");
  EXPECT_EQ(record("---\ntitle: a\n\nviews: -1\n---\n").substr(0, 32), "4: reject metadata.views must be");
  EXPECT_EQ(record("---\ntags:\n- a\ncreated: soon\n---\n").substr(0, 34), "4: reject metadata.created: \"soon\"");
  EXPECT_EQ(record("---\nrelated: [a,\n  '']\n---\n"), "2: reject related: an id must not be empty");
  EXPECT_EQ(record("---\nlevel: 1\nlevel: 2\n---\n"), "3: reject metadata has \"level\" twice");
  EXPECT_EQ(record("---\ntitle: a\nseo:\n  title: b\n  title: c\n---\n"), "1: reject metadata has \"title\" twice");
  EXPECT_EQ(record("a\nb\xFF"), "2: reject is not valid UTF-8");
  EXPECT_EQ(record("---\nx: &a [*a]\n---\n").substr(0, 10), "2: reject ") << "a list that contains itself";
}

TEST_F(Markdown, RejectsExponentialAliases) {
  std::string yaml = "a0: &a0 [x]\n";
  for (int i = 1; i < 30; ++i) {
    const std::string last = "*a" + std::to_string(i - 1);
    yaml += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [" + last + "," + last + "," + last + "]\n";
  }
  EXPECT_NE(record("---\n" + yaml + "---\n").find("nested too deeply or too large"), std::string::npos);
}

TEST_F(MarkdownFolder, IsReadInPathOrderCategoriesFirst) {
  write("kb/b.md", "");
  write("kb/a/z.md", "");
  write("kb/a/b/y.md", "");
  write("kb/a/README.md", "");
  write("kb/a/b/index.md", "");
  write("kb/index.md", "");
  write("kb/a/_category.yaml", "name: The A\nsubcategories: [a/b]\n");
  write("kb/categories.jsonl", R"({"id":"c","name":"C"})");
  write("kb/a/ignored.txt", "x");
  write("kb/.git/x.md", "x");
  EXPECT_EQ(records(), (std::vector<std::string>{"1: category id=c name=C description= icon= subcategories=[]",
                                                 "0: category id=a name=The A description= icon= subcategories=[a/b]",
                                                 "0: item id=a title=a category=a", "0: item id=b title=b category=a/b",
                                                 "0: item id=y title=y category=a/b", "0: item id=z title=z category=a",
                                                 "0: reject has the same id \"b\" as kb/a/b/index.md",
                                                 "0: item id=kb title=kb category=kb"}));
}

TEST_F(MarkdownFolder, NamesBothFilesWithTheSameId) {
  write("kb/a.md", "---\nid: x\n---\n");
  write("kb/b/x.md", "");
  EXPECT_EQ(records(), (std::vector<std::string>{"0: item id=x title=a category=kb",
                                                 "0: reject has the same id \"x\" as kb/a.md"}));
}

TEST_F(MarkdownFolder, AssignsTheIdOfItsCategoryToItsItems) {
  write("kb/a/b/_category.yaml", "id: deep\n");
  write("kb/a/b/x.md", "");
  EXPECT_EQ(records(), (std::vector<std::string>{"0: category id=deep name= description= icon= subcategories=[]",
                                                 "0: item id=x title=x category=deep"}));
}

TEST_F(MarkdownFolder, NamesTheLineInACategory) {
  write("kb/_category.yaml", "name: A\nsubcategories: b\n");
  EXPECT_EQ(records(), std::vector<std::string>{"2: reject subcategories must be an array of strings"});
}

TEST_F(MarkdownFolder, NamesUnknownMembers) {
  write("kb/_category.yaml", "nmae: A\nauthor: Ada\n");
  write("kb/a.md", "---\ntitel: T\nauthor: Ada\nlevel: 1\n---\n");
  write("kb/b.md", "---\ntitle: T\nviews: 3\n---\n");
  EXPECT_EQ(read_source(path("kb")).unknown,
            (std::vector<std::string>{"ignored [nmae|author] kept []", "ignored [] kept [titel|level]"}));
}

TEST_F(MarkdownFolder, FollowsLinksOnlyToFilesWithinIt) {
  write("secret.md", "secret");
  write("kb/.data/in.md", "");
  std::filesystem::create_symlink(path("kb/.data/in.md"), path("kb/in.md"));
  std::filesystem::create_symlink(path("secret.md"), path("kb/out.md"));
  std::filesystem::create_directory_symlink(path("kb"), path("kb/again"));
  const std::string refused =
      "0: reject is a link that is broken or leads out of the source; such links are not followed";
  EXPECT_EQ(records(), (std::vector<std::string>{"0: item id=in title=in category=kb", refused}));
}

TEST_F(MarkdownFolder, NamesWhatItCannotRead) {
  write("kb/a.md", "");
  write("kb/b.md.gz", "no gzip");
  EXPECT_EQ(records(),
            (std::vector<std::string>{"0: item id=a title=a category=kb", "error kb/b.md.gz: is not gzip data"}));
  if (::geteuid() == 0) GTEST_SKIP() << "root can read every file";
  std::filesystem::create_directory(path("kb/closed"));
  std::filesystem::permissions(path("kb/closed"), std::filesystem::perms::none);
  EXPECT_EQ(records(), std::vector<std::string>{"error kb/closed: Permission denied"});
}

TEST(FirstHeading, IsAnAtxHeadingOfTheFirstLevel) {
  EXPECT_EQ(first_heading("text\n# A\n# B"), "A");
  EXPECT_EQ(first_heading("#\tA ##"), "A");
  EXPECT_EQ(first_heading("# C#"), "C#");
  EXPECT_EQ(first_heading("#A\n## B\n~~~\n# C\n"), "");
  EXPECT_EQ(first_heading("# \n"), "");
}

}  // namespace
}  // namespace kbase::content
