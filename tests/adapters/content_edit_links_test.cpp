// SPDX-License-Identifier: Apache-2.0
#include "adapters/content/edit_links.hpp"

#include <gtest/gtest.h>

#include <variant>

#include "adapters/content/site_members.hpp"

namespace kbase::content {
namespace {

Value yaml(std::string_view text) { return std::get<Value>(parse_yaml(text)); }
Value toml(std::string_view text) { return std::get<Value>(parse_toml(text)); }

TEST(EditLinks, OfMkDocsAreBelowTheRepository) {
  EXPECT_EQ(mkdocs_edit_address(yaml("repo_url: https://example.org/a/b\nedit_uri: edit/main/docs/")),
            "https://example.org/a/b/edit/main/docs/{path}");
  EXPECT_EQ(mkdocs_edit_address(yaml("repo_url: https://github.com/a/b")),
            "https://github.com/a/b/edit/master/docs/{path}");
  EXPECT_EQ(mkdocs_edit_address(yaml("edit_uri: https://example.org/edit")), "https://example.org/edit/{path}");
  EXPECT_EQ(mkdocs_edit_address(yaml("repo_url: https://example.org/a\nedit_uri: '?q='")),
            "https://example.org/a?q={path}");
  EXPECT_EQ(mkdocs_edit_address(yaml("repo_url: https://example.org/a\nedit_uri_template: 'e/{path}'")),
            "https://example.org/a/e/{path}");
  EXPECT_EQ(mkdocs_edit_address(yaml("repo_url: https://github.com/a/b\nedit_uri: ''")), "");
  EXPECT_EQ(mkdocs_edit_address(yaml("repo_url: https://example.org/a")), "") << "an unknown host has no default";
}

TEST(EditLinks, OfMdBookAreATemplate) {
  EXPECT_EQ(mdbook_edit_address(toml("[output.html]\nedit-url-template = 'https://example.org/edit/{path}'")),
            "https://example.org/edit/{path}");
  EXPECT_EQ(mdbook_edit_address(toml("[book]\ntitle = 'a'")), "");
}

TEST(EditLinks, OfDocusaurusAreALiteral) {
  EXPECT_EQ(docusaurus_edit_address("docs: { editUrl: 'https://example.org/tree/main/' }"),
            "https://example.org/tree/main/{path}");
  EXPECT_EQ(docusaurus_edit_address("editUrl: ({path}) => `https://example.org/${path}`"), "");
  EXPECT_EQ(docusaurus_edit_address("editUrl: `https://${host}/a`"), "");
}

TEST(EditLinks, OfVitePressHaveTheirOwnPlaceholder) {
  EXPECT_EQ(vitepress_edit_address("editLink: { pattern: \"https://example.org/docs/:path\", text: 'Edit' }"),
            "https://example.org/docs/{path}");
  EXPECT_EQ(vitepress_edit_address("pattern: 'https://example.org/docs/:path'"), "");
}

TEST(EditLinks, OfStarlightAreBelowABase) {
  EXPECT_EQ(starlight_edit_address("editLink: { baseUrl: 'https://example.org/edit/main' }"),
            "https://example.org/edit/main/{path}");
}

TEST(EditLinks, OfSphinxAreMadeOfTheContext) {
  EXPECT_EQ(
      sphinx_edit_address("html_context = {\n 'github_user': 'a', \"github_repo\": \"b\",\n 'github_version': 'main',"
                          " 'conf_py_path': '/docs/'}"),
      "https://github.com/a/b/edit/main/docs/{path}");
  EXPECT_EQ(sphinx_edit_address("html_context = {'github_user': 'a'}"), "");
}

TEST(EditLinks, OfJekyllAndHugoAreThoseOfTheirThemes) {
  EXPECT_EQ(jekyll_edit_address(yaml("gh_edit_repository: https://example.org/a\ngh_edit_branch: main\n"
                                     "gh_edit_source: docs\ngh_edit_view_mode: tree")),
            "https://example.org/a/tree/main/docs/{path}");
  EXPECT_EQ(
      jekyll_edit_address(yaml("gh_edit_link: false\ngh_edit_repository: https://example.org/a\ngh_edit_branch: m")),
      "");
  EXPECT_EQ(hugo_edit_address(toml("[params]\ngithub_repo = 'https://example.org/a'\ngithub_subdir = 'site'")),
            "https://example.org/a/edit/main/site/{path}");
}

TEST(EditLinks, AreAddressesOfTheWeb) {
  EXPECT_EQ(mdbook_edit_address(toml("[output.html]\nedit-url-template = 'javascript:{path}'")), "");
  EXPECT_EQ(docusaurus_edit_address("editUrl: 'javascript:alert(1)//'"), "");
}

TEST(EditLinks, HaveAnEncodedPath) {
  EXPECT_EQ(edit_address("https://example.org/{path}?plain=1", "a b/ü.md"),
            "https://example.org/a%20b/%C3%BC.md?plain=1");
}

TEST(SiteMembers, AreThoseThatThePageLacks) {
  SiteLayout layout;
  layout.edit_address = "https://example.org/{path}";
  layout.edit_root = "docs";
  layout.order = {{"a", 3}};
  const TreeFile file{"docs/a.md", "a.md", "docs", 0, false};
  EXPECT_EQ(add_site_members(layout, file, "a", ""), R"("edit_url":"https://example.org/a.md","order":3)");
  EXPECT_EQ(add_site_members(layout, file, "b", R"("icon":"x")"),
            R"("icon":"x","edit_url":"https://example.org/a.md")");
  for (const char* own : {"\"custom_edit_url\":null", "\"edit_url\":\"b\"", "\"editUrl\":false"})
    EXPECT_EQ(add_site_members(layout, file, "b", own), own);
  EXPECT_EQ(add_site_members({}, file, "a", ""), "");
}

TEST(SiteMembers, PutAFolderWhereItsFirstPageIs) {
  SiteLayout layout;
  layout.order = {{"index", 0}, {"guide/a", 2}, {"guide/b", 1}, {"guide/more/c", 5}};
  EXPECT_EQ(folder_places(layout), (std::map<std::string, double>{{"guide", 1}, {"guide/more", 5}}));
}

}  // namespace
}  // namespace kbase::content
