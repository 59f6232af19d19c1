// SPDX-License-Identifier: Apache-2.0
// Questions about kbase as people ask them, and the page of the manual that answers each.
#include <gtest/gtest.h>

#include <array>
#include <string>

#include "tests/e2e/expectations.hpp"
#include "tests/e2e/knowledge_base.hpp"

namespace kbase::tests {
namespace {

struct Question {
  const char* text;
  const char* page;
};

constexpr std::array<Question, 40> kQuestions{{
    {"how do I back up the knowledge base", "operations/backup"},
    {"how to restore a backup", "operations/backup"},
    {"create an api key", "operations/managing-keys"},
    {"revoke a key", "operations/managing-keys"},
    {"what happens when my rate limit is used up", "guide/rate-limits"},
    {"which headers show how many requests are left", "guide/rate-limits"},
    {"429 too many requests", "guide/rate-limits"},
    {"how can I import a folder of markdown files", "content/folders"},
    {"import a csv file", "content/tables"},
    {"front matter of a page", "content/front-matter"},
    {"import from docusaurus", "content/generators"},
    {"crawl a website", "content/web-sites"},
    {"delete an item", "content/deleting"},
    {"remove pages that are gone from the source", "content/prune"},
    {"try an import without changing anything", "content/dry-run"},
    {"export all items", "content/exporting"},
    {"exclude a word from a search", "guide/query-language"},
    {"search for an exact phrase", "guide/query-language"},
    {"how are results ranked", "guide/matching"},
    {"why does it find items without all my words", "guide/matching"},
    {"sort by date", "guide/sorting-and-paging"},
    {"next page of results", "guide/sorting-and-paging"},
    {"filter by tag", "guide/filters-and-facets"},
    {"autocomplete", "guide/suggestions"},
    {"is the server healthy", "guide/health"},
    {"call the api from javascript", "guide/calling-from-javascript"},
    {"python client", "guide/calling-from-python"},
    {"cross origin requests", "guide/cors"},
    {"what does the etag of a response mean", "guide/conditional-requests"},
    {"id with a slash in the url", "guide/ids-in-paths"},
    {"run kbase behind nginx", "operations/reverse-proxy"},
    {"start at boot with systemd", "operations/running-as-a-service"},
    {"store items in PostgreSQL", "operations/postgres"},
    {"use redis for rate limits", "operations/redis"},
    {"search with OpenSearch", "operations/opensearch"},
    {"prometheus metrics", "operations/monitoring"},
    {"several servers with the same content", "operations/scaling"},
    {"connect ollama", "operations/language-models"},
    {"write a plugin in C++", "plugins"},
    {"what personal data is stored", "operations/privacy"},
}};

class Manual : public testing::TestWithParam<BackEnds> {};

INSTANTIATE_TEST_SUITE_P(Storage, Manual, every_storage(), name_of);
INSTANTIATE_TEST_SUITE_P(Search, Manual, the_other_index(), name_of);

TEST_P(Manual, AnswersAQuestionInItsFirstThreeResults) {
  ServedBase served(GetParam(), KBASE_MANUAL);
  Client web = served.client();
  std::size_t answered = 0;
  std::string others;
  for (const Question& question : kQuestions) {
    const std::string target = "/search?limit=3&q=" + encoded(question.text);
    bool is_answered = false;
    for (const std::string& id : ids_of(expect_envelope(web.get(target), true)["data"]))
      is_answered = is_answered || id.starts_with(question.page);
    answered += is_answered ? 1 : 0;
    if (!is_answered) others.append("\n").append(question.text);
  }
  EXPECT_GE(answered, 38U) << "not answered:" << others;
}

}  // namespace
}  // namespace kbase::tests
