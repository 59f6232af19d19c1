// SPDX-License-Identifier: Apache-2.0
#include <unistd.h>

#include <cstdlib>

#include "adapters/markup/library_markup.hpp"
#include "tests/adapters/content_sources.hpp"

namespace kbase::content {
namespace {

namespace fs = std::filesystem;

class Folder : public ContentFiles {
 protected:
  /// The items as "id=title (category)" and the rejected pages as "PATH: reason", in order, separated by "; ".
  std::string items(const SourceOptions& options = {}, bool names_as_ids = false) {
    const std::string name = path("kb");
    const auto source = open_source(name, options, markup_, kToday, {});
    if (!source) return local(source.error().message);
    if (names_as_ids) (*source)->use_names_as_ids();
    std::string text;
    categories_.clear();
    related_.clear();
    ports::Call call;
    const auto read = (*source)->read(call, [&](const ports::ContentRecord& record) {
      const auto add = [&text](const std::string& entry) { text.append(text.empty() ? "" : "; ").append(entry); };
      if (const auto* item = std::get_if<ports::ItemRecord>(&record.record)) {
        add(std::string(item->id) + "=" + std::string(item->title) + " (" + std::string(item->category) + ")");
        related_ += joined(item->related);
        contents_[std::string(item->id)] = item->content;
        days_[std::string(item->id)] = day_text(item->created);
        languages_[std::string(item->id)] = std::string(item->language) + " " + std::string(item->version);
      } else if (const auto* category = std::get_if<ports::CategoryRecord>(&record.record)) {
        categories_ +=
            std::string(category->id) + "=" + std::string(category->name) + joined(category->subcategories) + " ";
      } else if (const auto* reject = std::get_if<ports::Reject>(&record.record)) {
        add(local(std::string(record.position.file)) + ": " + local(std::string(reject->reason)));
      }
      return Visit::Continue;
    });
    if (!read) text += local(read.error().message);
    notes_ = (*source)->notes();
    return text;
  }
  std::string skipped() const {
    std::string text;
    for (const auto& [ending, files] : notes_.skipped) text += std::to_string(files) + " " + ending + ", ";
    return text;
  }

  markup::LibraryMarkup markup_;
  std::string categories_, related_;
  std::map<std::string, std::string> contents_, days_, languages_;
  ports::SourceNotes notes_;
};

TEST_F(Folder, GivesPagesTheirPathsAsIds) {
  write("kb/guide/overview.md", "# A");
  write("kb/api/overview.md", "# B");
  write("kb/guide/setup/index.md", "# C");
  write("kb/README.md", "# D");
  EXPECT_EQ(items(), "kb=D (kb); api/overview=B (api); guide/overview=A (guide); guide/setup=C (guide/setup)");
  EXPECT_EQ(categories_, "kb=Kb[api|guide] api=Api[] guide=Guide[guide/setup] guide/setup=Setup[] ");
}

TEST_F(Folder, PutsAPrefixBeforeIdsAndCategories) {
  write("kb/guide/a.md", "x");
  write("kb/b.md", "x");
  EXPECT_EQ(items({.prefix = "v2"}), "v2/b=B (v2); v2/guide/a=A (v2/guide)");
  EXPECT_EQ(categories_, "v2=V2[v2/guide] v2/guide=Guide[] ");
}

TEST_F(Folder, GivesPagesTheirNamesAsIdsOnRequest) {
  write("kb/a/one.md", "x");
  write("kb/b/two.md", "x");
  EXPECT_EQ(items({}, true), "one=One (a); two=Two (b)");
  write("kb/b/one.md", "x");
  EXPECT_EQ(items({}, true),
            "one=One (a); kb/b/one.md: has the same id \"one\" as kb/a/one.md; without --ids name the path "
            "of a page is its id; two=Two (b)");
}

TEST_F(Folder, NeverGivesTwoPagesOneId) {
  write("kb/guide.md", "# Page");
  write("kb/guide/index.md", "# Index");
  write("kb/guide/README.md", "# Readme");
  write("kb/same.md", "# One");
  write("kb/same.html", "<h1>Two</h1>");
  EXPECT_EQ(items(),
            "guide=Page (kb); guide/README=Readme (guide); guide/index=Index (guide); same=Two (kb); same.md=One (kb)");
}

TEST_F(Folder, ReadsPagesOfEveryEndingAndCountsTheOthers) {
  for (const char* name : {"a.md", "b.mdx", "c.markdown", "d.MD", "e.html", "f.txt"})
    write("kb/" + std::string(name), "x");
  write("kb/g.png", "x");
  write("kb/h.png", "x");
  write("kb/Makefile", "x");
  EXPECT_EQ(items(), "a=A (kb); b=B (kb); c=C (kb); d=D (kb); e=E (kb); f=F (kb)");
  EXPECT_EQ(skipped(), "2 .png, 1 Makefile, ");
}

TEST_F(Folder, LeavesOutWhatIsNoPage) {
  for (const char* name : {".hidden/a.md", "node_modules/x/a.md", "vendor/a.md", "_drafts/a.md", "_partial.md",
                           "SUMMARY.md", "build/a.md", "tmp/a.md", "kept.md"})
    write("kb/" + std::string(name), "x");
  write("kb/.gitignore", "/build\n");
  write("kb/.kbaseignore", "tmp/\n");
  EXPECT_EQ(items(), "kept=Kept (kb)");
  write("kb/old/a.md", "x");
  EXPECT_EQ(items({.exclude = {"old"}}), "kept=Kept (kb)");
  EXPECT_EQ(items({.include = {"old/*"}}), "old/a=A (old)");
}

TEST_F(Folder, NamesCategoriesAsTheirFilesSay) {
  write("kb/a/_category_.json", R"({"label": "The A", "position": 2, "description": "about"})");
  write("kb/a/x.md", "x");
  write("kb/b/_index.md", "---\ntitle: The B\nweight: 1\n---\ntext");
  write("kb/c/_category.yaml", "id: cc\nname: The C\n");
  write("kb/c/x.md", "x");
  write("kb/d/README.md", "# Only a heading");
  write("kb/root.md", "x");
  EXPECT_EQ(items(), "a/x=X (a); b=The B (b); c/x=X (cc); d=Only a heading (d); root=Root (kb)");
  EXPECT_EQ(categories_, "kb=Kb[b|a|cc|d] a=The A[] b=The B[] cc=The C[] d=D[] ");
}

TEST_F(Folder, RelatesPagesThatAreLinked) {
  write("kb/a.md", "[b](b.md) and [[c]]");
  write("kb/b.md", "x");
  write("kb/sub/c.md", "[a](../a.md)");
  items();
  EXPECT_EQ(related_, "[b|sub/c][][a]");
}

TEST_F(Folder, PutsIncludesInTheirPlace) {
  write("kb/a.md", "{{#include parts/x.rs:2:3}}|{{#include parts/x.rs:main}}|--8<-- \"parts/y.md\"\n![[b]]");
  write("kb/parts/x.rs", "1\n2\n3\n// ANCHOR: main\n4\n// ANCHOR_END: main\n");
  write("kb/parts/y.md", "---\ntitle: Y\n---\nwhy");
  write("kb/b.md", "bee {{#include ../outside.md}}");
  write("outside.md", "secret");
  items();
  EXPECT_EQ(contents_["a"], "2\n3|4|why\nbee {{#include ../outside.md}}");
}

TEST_F(Folder, ReadsASiteAsItsGeneratorDoes) {
  write("kb/mkdocs.yml",
        "site_name: x\nnav:\n- Home: index.md\n- The guide:\n  - guide/a.md\n  - Second: guide/b.md\n"
        "markdown_extensions:\n- x: !!python/name:y\n");
  write("kb/docs/index.md", "text");
  write("kb/docs/guide/a.md", "text");
  write("kb/docs/guide/b.md", "text");
  write("kb/README.md", "not part of the site");
  EXPECT_EQ(items(), "guide/a=A (guide); guide/b=Second (guide); kb=Home (kb)");
  EXPECT_EQ(categories_, "kb=x[guide] guide=The guide[] ");
  EXPECT_EQ(notes_.generator, "MkDocs");
}

TEST_F(Folder, ReadsASiteWithoutItsConfiguration) {
  write("kb/src/content/docs/guide.md", "# Guide");
  EXPECT_EQ(items(), "guide=Guide (kb)");
}

TEST_F(Folder, IgnoresAFolderInPlaceOfAConfiguration) {
  write("kb/mkdocs.yml/a.md", "# A");
  write("kb/docs/b.md", "# B");
  EXPECT_NE(items().find("=B "), std::string::npos);
}

TEST_F(Folder, NamesAFolderByTheOuterOfTwoSections) {
  write("kb/mkdocs.yml",
        "site_name: Site\nnav:\n- Insiders:\n  - insiders/index.md\n  - Changelog:\n    - insiders/changes.md\n"
        "    - insiders/upgrade.md\n");
  for (const char* page : {"index", "changes", "upgrade"}) write("kb/docs/insiders/" + std::string(page) + ".md", "x");
  items();
  EXPECT_EQ(categories_, "kb=Site[insiders] insiders=Insiders[] ");
}

TEST_F(Folder, ReadsCollectionsOfJekyll) {
  write("kb/_config.yml", "collections:\n  docs:\n    output: true\n  people:\n    output: false\nexclude: [tmp]\n");
  write("kb/_docs/a.md", "---\ntitle: A doc\n---\nx");
  write("kb/_posts/2016-10-06-a-post.markdown", "x");
  write("kb/_people/b.md", "x");
  write("kb/_includes/c.md", "x");
  write("kb/tmp/d.md", "x");
  EXPECT_EQ(items(), "_docs/a=A doc (_docs); _posts/2016-10-06-a-post=A post (_posts)");
  EXPECT_EQ(days_["_posts/2016-10-06-a-post"], "2016-10-06");
  EXPECT_EQ(notes_.generator, "Jekyll");
}

TEST_F(Folder, KnowsTheLanguageAndTheVersionOfAPath) {
  write("kb/content/en/docs/v3.5/_index.md", "---\ntitle: Manual\n---\n");
  write("kb/content/en/docs/v3.5/a.md", "x");
  EXPECT_EQ(items(), "en/docs/v3.5=Manual (en/docs/v3.5); en/docs/v3.5/a=A (en/docs/v3.5)");
  EXPECT_EQ(languages_["en/docs/v3.5/a"], "en v3.5");
  EXPECT_EQ(notes_.generator, "Hugo");
}

TEST_F(Folder, CountsPagesThatAreLeftOut) {
  write("kb/a.md", "---\ndraft: true\n---\nx");
  write("kb/b.md", "");
  EXPECT_EQ(items(), "");
  EXPECT_EQ(notes_.left_out, 2u);
  ASSERT_EQ(notes_.left_out_pages.size(), 2u);
  EXPECT_EQ(local(notes_.left_out_pages[0]) + " " + local(notes_.left_out_pages[1]), "kb/a.md kb/b.md");
  EXPECT_EQ(items({.keeps_drafts = true}), "a=A (kb)");
}

TEST_F(Folder, RejectsWhatItCannotRead) {
  write("kb/a.md", "\xFF");
  write("kb/b/_category.yaml", "[");
  write("kb/b/x.md", "x");
  fs::create_symlink("nowhere.md", path("kb/broken.md"));
  write("outside.md", "x");
  fs::create_symlink("../outside.md", path("kb/out.md"));
  fs::create_symlink("b/x.md", path("kb/in.md"));
  const std::string found = items();
  EXPECT_TRUE(found.starts_with("kb/b/_category.yaml: not YAML")) << found;
  EXPECT_NE(found.find("kb/a.md: is not valid UTF-8; b/x=X (b); kb/broken.md: is a link that is broken"),
            std::string::npos)
      << found;
  EXPECT_NE(found.find("in=In (kb); kb/out.md: is a link that is broken or leads out"), std::string::npos) << found;
}

TEST_F(Folder, MayBeOnePage) {
  const std::string file = write("kb/guide.md", "# One page");
  const Reading reading = read_source(file, {}, markup_);
  ASSERT_EQ(reading.records.size(), 2u) << reading.error;
  EXPECT_TRUE(reading.records[1].starts_with("0: item id=guide title=One page category=kb")) << reading.records[1];
}

TEST_F(Folder, HasTheDaysOfItsCommits) {
  write("kb/a.md", "x");
  const std::string git = "git -C " + path("kb") + " -c user.name=a -c user.email=a@b ";
  if (std::system((git + "init -q 2>/dev/null && " + git + "add . && GIT_COMMITTER_DATE=2020-01-02T03:04:05Z " + git +
                   "commit -q -m x --date=2020-01-02T03:04:05Z")
                      .c_str()) != 0)
    GTEST_SKIP() << "git is not installed";
  write("kb/b.md", "x");
  items();
  EXPECT_EQ(days_["a"], "2020-01-02");
  EXPECT_NE(days_["b"], "2020-01-02");
}

TEST_F(Folder, NamesTheProgramsThatItLacks) {
  write("kb/a.md", "x");
  write("kb/b.rst", "Title\n=====\n\n.. include:: part.txt\n");
  write("kb/part.txt", "*included*");
  const std::string found = items();
  if (!notes_.packages.empty()) {
    EXPECT_EQ(notes_.packages, std::set<std::string>{"pandoc"});
    EXPECT_EQ(skipped(), "1 .rst, ");
    return;
  }
  EXPECT_EQ(found, "a=A (kb); b=Title (kb); part=Part (kb)");
  EXPECT_NE(contents_["b"].find("<em>included</em>"), std::string::npos) << contents_["b"];
}

TEST_F(Folder, HasNoTargetsOfRoles) {
  write("kb/a.rst", "Title\n=====\n\nSee :ref:`the guide <guide>`, :doc:`install` and ``a <b>``.\n");
  items();
  if (!notes_.packages.empty()) GTEST_SKIP() << "pandoc is not installed";
  EXPECT_EQ(markup_.document(contents_["a"], model::Format::Html).text, "Title\nSee the guide, install and a <b>.");
}

}  // namespace
}  // namespace kbase::content
