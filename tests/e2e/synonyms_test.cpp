// SPDX-License-Identifier: Apache-2.0
// Synonyms. Manual: docs/content/synonyms.md.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "tests/e2e/expectations.hpp"
#include "tests/e2e/knowledge_base.hpp"
#include "tests/support/eventually.hpp"

namespace kbase::tests {
namespace {

constexpr const char* kContent =
    R"({"id":"pods","title":"Pods","category":"c","content":"Run pods on kubernetes."})"
    "\n"
    R"({"id":"short","title":"Clusters","category":"c","content":"The k8s cluster of the team, and how each of its parts is named."})"
    "\n"
    R"({"id":"laptops","title":"Rules","category":"c","content":"Each laptop has a label."})"
    "\n"
    R"({"id":"notebooks","title":"Notebook","category":"c","content":"A notebook computer has none."})"
    "\n"
    R"({"type":"synonyms","words":["k8s","kubernetes"]})"
    "\n"
    R"({"type":"synonyms","from":"laptop","to":["notebook computer"]})"
    "\n";

class Synonyms : public ChangingTest {
 protected:
  void SetUp() override {
    if (GetParam().storage == Storage::JsonLines) GTEST_SKIP() << "the storage keeps no synonyms";
  }

  struct Found {
    std::string ids, synonyms, tag;
  };
  static Found search(Client& web, const std::string& q) {
    const Response response = web.get("/search?q=" + q);
    Found found;
    for (const std::string& id : ids_of(nlohmann::json::parse(response.body).at("data")))
      found.ids.append(found.ids.empty() ? "" : " ").append(id);
    found.synonyms = response.field("x-search-synonyms");
    found.tag = response.field("etag");
    return found;
  }
  std::filesystem::path content() const {
    const std::filesystem::path file = folder_.path() / "content.jsonl";
    std::ofstream(file) << kContent;
    return file;
  }

  TemporaryFolder folder_;
};

INSTANTIATE_TEST_SUITE_P(Storage, Synonyms, every_storage(), name_of);

TEST_P(Synonyms, AreFoundBelowTheWordAndNamed) {
  const ServedBase served(GetParam(), content());
  Client web = served.client();
  Found found = search(web, "K8s");
  EXPECT_EQ(found.ids, "short pods");
  EXPECT_EQ(found.synonyms, "K8s=kubernetes");
  EXPECT_EQ(search(web, "kubernetes").ids, "pods short");
  found = search(web, "laptops");
  EXPECT_EQ(found.ids, "laptops notebooks");
  EXPECT_EQ(found.synonyms, "laptops=notebook%20computer");
  found = search(web, "notebook");
  EXPECT_EQ(found.ids, "notebooks") << "one way only";
  EXPECT_EQ(found.synonyms, "");
  EXPECT_EQ(search(web, "%22k8s%22").ids, "short");
}

TEST_P(Synonyms, FollowAnImportWhileTheServerRuns) {
  if (GetParam().storage == Storage::Memory) GTEST_SKIP() << "an import needs a persistent storage";
  ServedBase served(GetParam(), content());
  Client web = served.client();
  const std::string before = search(web, "label").tag;
  served.base().import(served.base().write("new.jsonl", R"({"type":"synonyms","words":["label","pods"]})"));
  EXPECT_TRUE(eventually(kWithinASecond, [&] { return search(web, "label").ids == "laptops pods"; }));
  EXPECT_NE(search(web, "label").tag, before);
  const Outcome listed = served.base().run({"synonyms", "list"});
  EXPECT_EQ(listed.output, "k8s, kubernetes\nlaptop -> notebook computer\nlabel, pods\n") << listed.errors;

  served.base().import(served.base().write("gone.jsonl", R"({"type":"synonyms","words":["label"]})"));
  EXPECT_TRUE(eventually(kWithinASecond, [&] { return search(web, "label").ids == "laptops"; }));
}

TEST_P(Synonyms, AreExportedAndBackedUp) {
  if (GetParam().storage == Storage::Memory) GTEST_SKIP() << "an export needs a persistent storage";
  const KnowledgeBase base(GetParam()), copy(GetParam()), restored(GetParam());
  base.import(base.write("content.jsonl", kContent));
  const std::string listed = base.run({"synonyms", "list", "--json"}).output;
  EXPECT_NE(base.exported().find(R"({"type":"synonyms","words":["k8s","kubernetes"],"source":"content.jsonl"})"),
            std::string::npos)
      << base.exported();
  copy.import(copy.write("export.jsonl", base.exported()));
  EXPECT_EQ(copy.run({"synonyms", "list", "--json"}).output, listed);
  const std::string file = (base.folder() / "base.backup").string();
  ASSERT_EQ(base.run({"backup", file}).exit_code, 0);
  const Outcome done = restored.run({"restore", file});
  EXPECT_EQ(restored.run({"synonyms", "list", "--json"}).output, listed) << done.errors;
}

}  // namespace
}  // namespace kbase::tests
