// SPDX-License-Identifier: Apache-2.0
// Replays recorded responses of code-hosting services, if KBASE_TEST_DATA contains them.
#include <gmock/gmock.h>

#include <algorithm>
#include <numeric>

#include "adapters/gitea/gitea_code_host.hpp"
#include "adapters/github/github_code_host.hpp"
#include "adapters/gitlab/gitlab_code_host.hpp"
#include "tests/adapters/code_host/code_host_fixture.hpp"
#include "tests/adapters/code_host/recorded.hpp"

namespace kbase::tests {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Pair;
using testing::SizeIs;
using testing::StartsWith;

std::string repositories_of(const std::string& user) { return user + "/repos?per_page=100&sort=updated&type=owner"; }

template <class Host> class RecordedHost : public testing::Test, protected CodeHostFixture<Host> {
 protected:
  void SetUp() override {
    if (exchanges("github/users.json").empty()) GTEST_SKIP() << "KBASE_TEST_DATA names no folder with codehost";
  }

  std::vector<Recorded> exchanges(const std::string& file) { return recorded(file, this->curl.clock.now()); }

  /// Returns the first exchange in the file whose source or path contains `part`.
  Recorded exchange(const std::string& file, const std::string& part) {
    for (Recorded& each : exchanges(file))
      if (each.source.find(part) != std::string::npos || each.path.find(part) != std::string::npos) return each;
    ADD_FAILURE() << file << " has no " << part;
    return {};
  }
};

using RecordedGithub = RecordedHost<github::GithubCodeHost>;
using RecordedGitlab = RecordedHost<gitlab::GitlabCodeHost>;
using RecordedGitea = RecordedHost<gitea::GiteaCodeHost>;

TEST_F(RecordedGithub, ReturnsPeopleAndOrganizations) {
  std::map<std::string, std::string> rows;
  for (const Recorded& user : exchanges("github/users.json")) {
    service.answer(user.path, user.answer);
    service.answer(repositories_of(user.path), "[]");
    ASSERT_TRUE(succeeded(look_up(user.path.substr(sizeof "/users"))));
    rows[user.path] = recorder.profile_row;
  }
  EXPECT_THAT(rows, SizeIs(6));
  EXPECT_EQ(rows["/users/kohsuke"],
            "kohsuke name=Kohsuke Kawaguchi company=CloudBees, Inc. location=San Jose, California "
            "website=http://www.kohsuke.org/ avatar=https://avatars1.githubusercontent.com/u/50003?v=4 "
            "url=https://github.com/kohsuke followers=1692 following=3 repositories=257 created=2009-01-28T18:53:21Z");
  EXPECT_THAT(rows["/users/jenkinsci"], AllOf(StartsWith("jenkinsci "), HasSubstr(" repositories=")));
}

TEST_F(RecordedGithub, ReadsAllPagesOfRepositories) {
  const auto pages = exchanges("github/user-repos-pages.json");
  service.answer(repositories_of("/users/bitwiseman"), pages[0].answer);
  for (const Recorded& page : pages) service.answer(page.path, page.answer);
  service.answer("/users/bitwiseman", exchange("github/users.json", "/users/bitwiseman").answer);
  auto all = options();
  all.max_repositories = 1000;
  open(all);
  ASSERT_TRUE(succeeded(look_up("bitwiseman")));
  EXPECT_THAT(recorder.repository_rows, SizeIs(169));
  EXPECT_EQ(service.calls(), 20U);
  const auto updated = [](const std::string& row) { return row.substr(row.rfind("updated=")); };
  EXPECT_TRUE(std::is_sorted(recorder.repository_rows.begin(), recorder.repository_rows.end(),
                             [&](const auto& left, const auto& right) { return updated(left) > updated(right); }));
}

TEST_F(RecordedGithub, CountsBytesOfLanguages) {
  service.answer("/users/hub4j", R"({"login": "hub4j"})");
  service.answer(repositories_of("/users/hub4j"),
                 R"([{"name": "github-api", "full_name": "hub4j/github-api", "private": false, "language": "Java"}])");
  service.answer("/repos/hub4j/github-api/languages", exchange("github/languages.json", "languages").answer);
  ASSERT_TRUE(succeeded(look_up("hub4j")));
  EXPECT_THAT(recorder.languages, ElementsAre(Pair("Java", 1.0)));
}

TEST_F(RecordedGithub, WaitsAsLongAsEveryKindOfLimitRequests) {
  const std::map<std::string, std::chrono::seconds> waits{
      {"AbuseLimitHandlerTest/wiremock/testHandler_Fail", 30s},
      {"AbuseLimitHandlerTest/wiremock/testHandler_Wait/", 2s},
      {"AbuseLimitHandlerTest/wiremock/testHandler_WaitStuck", 3s},
      {"testHandler_Wait_Secondary_Limits/", 60s},
      {"testHandler_Wait_Secondary_Limits_Body_Marker_Only", 60s},
      {"testHandler_Wait_Secondary_Limits_Too_Many_Requests/", 8s},
      {"Too_Many_Requests_Date_Retry_After/", 8s},
      {"Too_Many_Requests_Date_Retry_After_Missing_Date_Header", 8s},
      {"Too_Many_Requests_No_Retry_After", 60s},
      {"RateLimitHandlerTest/wiremock/testHandler_Fail", 3s},
      {"RateLimitHandlerTest/wiremock/testHandler_Wait/", 3s},
      {"RateLimitHandlerTest/wiremock/testHandler_WaitStuck", 3s},
      {"testHandler_Wait_Missing_Date_Header", 3s}};
  EXPECT_THAT(exchanges("github/limited-403-429.json"), SizeIs(waits.size()));
  for (const auto& [source, wait] : waits) {
    open(options());  // an adapter that received a rate-limit error sends no request until the limit has expired
    service.answer("/users/mona", exchange("github/limited-403-429.json", source).answer);
    const auto limited = look_up("mona");
    ASSERT_TRUE(failed_for(limited, ErrorCode::Unavailable, "rate limit")) << source;
    EXPECT_EQ(limited.error().retry_after, wait) << source;
  }
}

TEST_F(RecordedGithub, ReportsEveryFailure) {
  const auto look_up_recorded = [&](const std::string& part) {
    service.answer("/users/mona", exchange("github/errors.json", part).answer);
    return look_up("mona");
  };
  EXPECT_TRUE(failed_for(look_up_recorded("GHContentIntegrationTest"), ErrorCode::BadUpstream, "returned 301"))
      << "a redirect to the public host";
  EXPECT_TRUE(failed_for(look_up_recorded("/orgs/jenkinsci/members/b"), ErrorCode::NotFound));
  EXPECT_TRUE(failed_for(look_up_recorded("service-down"), ErrorCode::Unavailable, "returned 503"));
  EXPECT_TRUE(failed_for(look_up_recorded("/pulls"), ErrorCode::BadUpstream, "returned 422"));
  open_with_token();
  EXPECT_TRUE(failed_for(look_up_recorded("/user"), ErrorCode::BadUpstream, "refuses codehost.config.token"));
}

TEST_F(RecordedGithub, DetectsUnchangedResponsesByEntityTags) {
  for (const Recorded& unchanged : exchanges("github/not-modified-304.json")) {
    if (unchanged.answer.status != 304) continue;
    service.answer("/users/mona", {200, {"ETag: " + unchanged.if_none_match}, R"({"login": "mona"})"});
    service.answer(repositories_of("/users/mona"), "[]");
    const auto first = look_up("mona");
    ASSERT_TRUE(succeeded(first));
    service.answer("/users/mona", unchanged.answer);
    const auto second = look_up("mona", first->validator);
    ASSERT_TRUE(succeeded(second));
    EXPECT_EQ(second->outcome, ports::LookUp::Outcome::Unchanged) << unchanged.source;
    const auto requests = service.received("/users/mona");
    EXPECT_TRUE(std::any_of(requests.begin(), requests.end(), [&](const ReceivedRequest& request) {
      return request.field("if-none-match") == unchanged.if_none_match;
    }));
  }
}

TEST_F(RecordedGithub, ReadsTheContributionCalendar) {
  service.answer("/users/robocat", R"({"login": "Robocat"})");
  service.answer(repositories_of("/users/robocat"), "[]");
  service.answer("/graphql", exchanges("github/graphql.json")[2].answer);
  open_with_token();
  ASSERT_TRUE(succeeded(look_up("robocat")));
  EXPECT_THAT(recorder.period, AllOf(StartsWith("2019-06-02 to 2020-"), HasSubstr("calendar")));
  EXPECT_EQ(std::accumulate(recorder.days.begin(), recorder.days.end(), std::uint64_t{0},
                            [](std::uint64_t sum, const auto& day) { return sum + day.second; }),
            1383U);
}

TEST_F(RecordedGitlab, ReturnsAUserAndAProject) {
  service.answer("/api/v4/users?username=john_smith", exchange("gitlab/documents.json", "user_search").answer);
  service.answer("/api/v4/users/1", exchange("gitlab/documents.json", "get_user").answer);
  service.answer("/api/v4/users/1/projects?visibility=public&order_by=last_activity_at&sort=desc&per_page=100",
                 exchange("gitlab/documents.json", "repos.json").answer);
  open_with_token();
  ASSERT_TRUE(succeeded(look_up("john_smith")));
  EXPECT_EQ(recorder.profile_row,
            "john_smith name=John Smith bio=Bio of John Smith company=Smith Inc location=USA "
            "website=john_smith.example.com avatar=http://localhost:3000/uploads/user/avatar/1/cd8.jpeg "
            "url=http://localhost:3000/john_smith followers=1 following=1 created=2012-05-23T08:00:58Z");
  EXPECT_THAT(recorder.repository_rows,
              ElementsAre("diaspora/diaspora name=Diaspora url=https://gitlab.com/diaspora/diaspora stars=0 forks=0 "
                          "fork=no archived=no created=2015-03-03T18:37:05Z updated=2015-03-03T18:37:20Z"));
}

TEST_F(RecordedGitea, ReturnsAUserWithoutPrivateRepositories) {
  service.answer("/api/v1/users/jcitizen", exchange("gitea/documents.json", "user.json").answer);
  const std::string repositories = exchange("gitea/documents.json", "repos.json").answer.body;
  service.answer("/api/v1/repos/search?uid=1&exclusive=true&private=false&sort=updated&order=desc&limit=50",
                 R"({"ok": true, "data": )" + repositories + "}");
  open_with_token();
  ASSERT_TRUE(succeeded(look_up("jcitizen")));
  EXPECT_EQ(recorder.profile_row,
            "jcitizen name=Jane Citizen avatar=https://secure.gravatar.com/avatar/8c58a0be77ee441bb8f8595b7f1b4e87");
  EXPECT_THAT(recorder.repository_rows, IsEmpty());
}

}  // namespace
}  // namespace kbase::tests
