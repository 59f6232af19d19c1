// SPDX-License-Identifier: Apache-2.0
// A folder of pages as people have it, from its import to what a reader finds. Manual: docs/content/folders.md,
// docs/content/web-sites.md, docs/guide/filters-and-facets.md.
#include <gtest/gtest.h>

#include <map>
#include <memory>

#include "tests/e2e/expectations.hpp"
#include "tests/e2e/knowledge_base.hpp"
#include "tests/support/scripted_http_server.hpp"
#include "tests/support/temporary_folder.hpp"

namespace kbase::tests {
namespace {

using nlohmann::json;

/// The pages of a small site in two languages and two versions.
std::map<std::string, std::string> site_pages() {
  return {
      {"index.md", "# Beacon manual\n\nStart here.\n"},
      {"guide/_category.yaml", "name: Guides\ndescription: Step by step\n"},
      {"guide/setup.md",
       "---\ntitle: Set up a beacon\ndescription: From the box to the first flash\ntags: [start, hardware]\n"
       "aliases: [unboxing]\ndate: 2024-02-03\nlastmod: 2024-05-06T23:30:00-05:00\n---\n\n"
       "{{< note >}}Keep the **lens** clean.{{< /note >}}\n\n## Turn it on\n\nPress `--power` twice.\n\n"
       "## Signals\n\nSee [advanced](sub/advanced.md#codes) about gannet codes.\n"},
      {"guide/sub/advanced.md",
       "<!-- lint off -->\n# Advanced\n\nA cormorant beacon.\n\n### Codes {#codes}\n\nMorse.\n"},
      {"de/lamp.md", "---\nlang: de\ntags: [hardware]\n---\n# Lamp\n\nDie Lampe, english beacon.\n"},
      {"v1.2/lamp.md", "# Lamp\n\nAn old beacon lamp.\n"},
      {"v2.0/lamp.md", "# Lamp\n\nThe new beacon lamp, beacon by beacon.\n"},
      {"draft.md", "---\ndraft: true\n---\nsecretword\n"},
      {"_partial.md", "secretword\n"},
  };
}

class DocumentationSite : public testing::TestWithParam<BackEnds> {
 protected:
  DocumentationSite() {
    for (const auto& [name, text] : site_pages()) {
      std::filesystem::create_directories((folder_.path() / "manual" / name).parent_path());
      std::ofstream(folder_.path() / "manual" / name) << text;
    }
    served_ = std::make_unique<ServedBase>(GetParam(), folder_.path() / "manual");
    web_ = std::make_unique<Client>(served_->client());
  }

  json data(const std::string& target) { return expect_data(web_->get(target)); }
  json search(const std::string& parameters) { return expect_envelope(web_->get("/search?" + parameters), true); }
  /// The ids of the results, in the order of their bytes.
  std::string found(const std::string& parameters) {
    Ids ids = ids_of(search(parameters)["data"]);
    std::sort(ids.begin(), ids.end());
    std::string text;
    for (const std::string& id : ids) text.append(text.empty() ? "" : " ").append(id);
    return text;
  }

  TemporaryFolder folder_;
  std::unique_ptr<ServedBase> served_;
  std::unique_ptr<Client> web_;
};

INSTANTIATE_TEST_SUITE_P(Storage, DocumentationSite, every_storage(), name_of);
INSTANTIATE_TEST_SUITE_P(Search, DocumentationSite, the_other_index(), name_of);

TEST_P(DocumentationSite, HasItsPagesUnderTheirPaths) {
  const json setup = data("/item/guide/setup");
  EXPECT_EQ(setup["title"], "Set up a beacon");
  EXPECT_EQ(setup["category"], "guide");
  EXPECT_EQ(setup["tags"], (json{"start", "hardware"}));
  EXPECT_EQ(setup["aliases"], json{"unboxing"});
  EXPECT_EQ(setup["summary"], "From the box to the first flash");
  EXPECT_EQ(setup["format"], "markdown");
  EXPECT_EQ(setup["metadata"]["created"], "2024-02-03");
  EXPECT_EQ(setup["metadata"]["updated"], "2024-05-07");
  EXPECT_EQ(setup["related"], json{"guide/sub/advanced"});
  EXPECT_EQ(setup["sections"], (json{{{"heading", "Turn it on"}, {"anchor", "turn-it-on"}, {"level", 2}},
                                     {{"heading", "Signals"}, {"anchor", "signals"}, {"level", 2}}}));
  EXPECT_NE(setup["content"].get<std::string>().find("{{< note >}}"), std::string::npos) << "as it was written";
  EXPECT_EQ(data("/item/v1.2/lamp")["version"], "v1.2");
  EXPECT_EQ(data("/item/de/lamp")["language"], "de");
  EXPECT_EQ(data("/item/manual")["title"], "Beacon manual");
}

TEST_P(DocumentationSite, HasTheCategoriesOfItsFolders) {
  const json guide = data("/category/guide?include_items=true");
  EXPECT_EQ(guide["name"], "Guides");
  EXPECT_EQ(guide["subcategories"], json{"guide/sub"});
  EXPECT_EQ(ids_of(guide["items"]), Ids{"guide/setup"});
  EXPECT_EQ(ids_of(data("/category/guide?include_items=true&subcategories=true")["items"]),
            (Ids{"guide/sub/advanced", "guide/setup"}));
  EXPECT_EQ(data("/category/guide?subcategories=true")["item_count"], 1);
}

TEST_P(DocumentationSite, IsSearchedWithoutItsMarkup) {
  const json hit = search("q=gannet")["data"].at(0);
  EXPECT_EQ(hit["id"], "guide/setup");
  EXPECT_EQ(hit["section"], (json{{"heading", "Signals"}, {"anchor", "signals"}}));
  EXPECT_EQ(found("q=unboxing"), "guide/setup");
  EXPECT_EQ(found("q=first+flash"), "guide/setup");
  EXPECT_EQ(found("q=secretword"), "");
  EXPECT_EQ(found("q=lint"), "");
  EXPECT_EQ(found("q=note"), "");
  for (const json& row : search("q=beacon")["data"])
    EXPECT_EQ(row["excerpt"].get<std::string>().find_first_of("{<#*["), std::string::npos) << row["excerpt"];
}

TEST_P(DocumentationSite, IsFilteredByLanguageVersionAndSeveralValues) {
  EXPECT_EQ(found("q=beacon&language=DE"), "de/lamp");
  EXPECT_EQ(found("q=beacon&version=v1.2"), "v1.2/lamp");
  EXPECT_EQ(found("q=beacon&category=guide"), "guide/setup");
  EXPECT_EQ(found("q=beacon&category=guide&subcategories=true"), "guide/setup guide/sub/advanced");
  EXPECT_EQ(found("q=beacon&category=guide&category=v2.0"), "guide/setup v2.0/lamp");
  EXPECT_EQ(found("q=beacon&tag=hardware&tag=start"), "de/lamp guide/setup");
}

TEST_P(DocumentationSite, ShowsOneResultForEachTitle) {
  const json body = search("q=beacon+lamp&match=any&collapse=title&sort=date");
  EXPECT_EQ(body["pagination"]["total"], 6);
  std::string lamps, others;
  for (const json& row : body["data"]) {
    if (row["title"] != "Lamp") continue;
    lamps += row["id"].get<std::string>();
    for (const json& also : row["also"])
      others.append(also["id"].get<std::string>()).append(also["language"]).append(also["version"]).append(" ");
  }
  EXPECT_EQ(lamps, "de/lamp");
  EXPECT_EQ(others, "v1.2/lampv1.2 v2.0/lampv2.0 ");
}

/// A site on the web, as its server has it now.
class WebSite : public testing::Test {
 protected:
  void SetUp() override {
    pages_["/docs/sitemap.xml"] = "application/xml";
    set("/docs/setup.html", "<main><h1>Set up</h1><p>A <a href='wire.html'>beacon</a>.</p></main>");
    set("/docs/wire.html", "<main><h1>Wire</h1></main>");
  }

  void set(const std::string& path, const std::string& html) { html_[path] = html; }

  std::string body_of(const std::string& path) {
    if (path != "/docs/sitemap.xml") return html_.contains(path) ? html_.at(path) : std::string();
    std::string sitemap = "<urlset>";
    for (const auto& [page, html] : html_) sitemap += "<url><loc>" + server_->url(page) + "</loc></url>";
    return sitemap + "</urlset>";
  }

  Outcome import(std::vector<std::string> options = {}) {
    options.insert(options.begin(), {"import", "--rate", "0", server_->url("/docs/sitemap.xml")});
    return base_.run(std::move(options));
  }

  std::map<std::string, std::string> pages_, html_;
  KnowledgeBase base_{Storage::Sqlite};
  std::unique_ptr<ScriptedHttpServer> server_ =
      std::make_unique<ScriptedHttpServer>([this](const ReceivedRequest& request, Peer& peer) {
        const std::string body = body_of(request.target);
        const std::string etag = "\"" + std::to_string(std::hash<std::string>()(body)) + "\"";
        const std::string type = pages_.contains(request.target) ? pages_[request.target] : "text/html";
        if (body.empty())
          peer.answer("404 Not Found");
        else if (body == "fails")
          peer.answer("500 Internal Server Error");
        else if (request.field("if-none-match") == etag)
          peer.send("HTTP/1.1 304 Not Modified\r\nETag: " + etag + "\r\n\r\n");
        else
          peer.answer("200 OK\r\nETag: " + etag + "\r\nContent-Type: " + type, body);
      });
};

TEST_F(WebSite, IsImportedFromItsSitemapAndFollowed) {
  const Outcome first = import();
  EXPECT_EQ(first.exit_code, 0) << first.errors;
  EXPECT_NE(first.output.find("added 2, changed 0"), std::string::npos) << first.output;
  const Outcome second = import();
  EXPECT_NE(second.output.find("added 0, changed 0, unchanged 2"), std::string::npos) << second.output;

  set("/docs/setup.html", "<main><h1>Set up</h1><p>A new beacon.</p></main>");
  html_.erase("/docs/wire.html");
  const Outcome third = import({"--prune"});
  EXPECT_NE(third.output.find("changed 1, unchanged 0, removed 1"), std::string::npos) << third.output << third.errors;
}

TEST_F(WebSite, KeepsItsItemsIfNotAllPagesWereRead) {
  ASSERT_EQ(import().exit_code, 0);
  const Outcome outcome = import({"--prune", "--max-pages", "1"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.errors;
  EXPECT_NE(outcome.output.find("removed 0"), std::string::npos) << outcome.output;
  EXPECT_NE(outcome.errors.find("nothing was pruned"), std::string::npos) << outcome.errors;
}

TEST_F(WebSite, IsNotImportedInPart) {
  set("/docs/wire.html", "fails");
  const Outcome outcome = import();
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_NE(outcome.errors.find("/docs/wire.html: answers 500"), std::string::npos) << outcome.errors;
  EXPECT_EQ(base_.exported(), "");
}

}  // namespace
}  // namespace kbase::tests
