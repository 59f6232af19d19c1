// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include "adapters/gitlab/gitlab_code_host.hpp"
#include "tests/adapters/code_host/code_host_fixture.hpp"

namespace kbase::tests {
namespace {

using ports::LookUp;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::Pair;
using testing::SizeIs;
using testing::StartsWith;

constexpr char kFound[] = "/api/v4/users?username=mona";
constexpr char kUser[] = "/api/v4/users/7";
constexpr char kProjects[] =
    "/api/v4/users/7/projects?visibility=public&order_by=last_activity_at&sort=desc&per_page=100";
constexpr char kCalendar[] = "/users/mona/calendar.json";

std::string project(const std::string& name, const std::string& more = "") {
  return R"({"name": ")" + name + R"(", "path_with_namespace": "mona/)" + name + "\"" + more + "}";
}

class Gitlab : public testing::Test, protected CodeHostFixture<gitlab::GitlabCodeHost> {
 protected:
  Gitlab() {
    service.answer(kFound, R"([{"id": 7, "username": "mona", "name": "Mona", "state": "active"}])");
    service.answer(kUser, {200, {"ETag: W/\"u1\""}, R"({"id": 7, "username": "mona", "name": "Mona Lisa",
      "bio": "Paints", "organization": "Louvre", "location": "Paris", "website_url": "mona.example", "followers": 3,
      "following": 1, "avatar_url": "https://a.example/1", "web_url": "https://l.example/mona",
      "created_at": "2015-03-03T20:37:05.387+02:00"})"});
    service.answer(kProjects,
                   "[" + project("a", R"(, "description": "A thing", "topics": ["x"], "star_count": 4,
      "forks_count": 2, "visibility": "public", "archived": false, "web_url": "https://l.example/mona/a",
      "last_activity_at": "2026-03-01T00:00:00.000Z", "created_at": "2020-03-01T00:00:00.000Z")") +
                       ", " +
                       project("b", R"(, "tag_list": ["y"], "forked_from_project": {}, "visibility": "public")") + "]");
    service.answer(kCalendar, R"({"2026-03-13": 5, "2026-03-14": 1, "2024-01-01": 9, "x": 1})");
    service.answer("/api/v4/projects/mona%2Fa/languages", R"({"Ruby": 75.0, "Shell": 25})");
    service.answer("/api/v4/projects/mona%2Fb/languages", R"({"C": 99.98})");
  }
};

TEST_F(Gitlab, ReturnsProfileProjectsContributionsAndLanguages) {
  ASSERT_TRUE(succeeded(look_up("mona")));
  EXPECT_EQ(recorder.profile_row,
            "mona name=Mona Lisa bio=Paints company=Louvre location=Paris website=mona.example "
            "avatar=https://a.example/1 url=https://l.example/mona followers=3 following=1 "
            "created=2015-03-03T18:37:05Z");
  EXPECT_THAT(
      recorder.repository_rows,
      ElementsAre("mona/a name=a description=A thing url=https://l.example/mona/a language=Ruby topic=x stars=4 "
                  "forks=2 fork=no archived=no created=2020-03-01T00:00:00Z updated=2026-03-01T00:00:00Z",
                  "mona/b name=b language=C topic=y fork=yes"));
  EXPECT_EQ(recorder.period, "2025-03-14 to 2026-03-14: GitLab's contribution calendar");
  EXPECT_THAT(recorder.days, ElementsAre(Pair("2026-03-13", 5), Pair("2026-03-14", 1)));
}

TEST_F(Gitlab, GivesEachProjectTheSameWeight) {
  ASSERT_TRUE(succeeded(look_up("mona")));
  EXPECT_THAT(recorder.languages, ElementsAre(Pair("C", 0.5), Pair("Ruby", 0.375), Pair("Shell", 0.125)));
}

TEST_F(Gitlab, ReturnsOnlyPublicDataEvenWithAToken) {
  open_with_token();
  service.answer(kProjects, "[" + project("public", R"(, "visibility": "public")") + ", " +
                                project("hidden", R"(, "visibility": "private")") + ", " +
                                project("internal", R"(, "visibility": "internal")") + ", " + project("unclear") + "]");
  ASSERT_TRUE(succeeded(look_up("mona")));
  EXPECT_THAT(recorder.repository_rows, ElementsAre(StartsWith("mona/public ")));
  EXPECT_THAT(service.received("languages"), SizeIs(1));
}

TEST_F(Gitlab, TreatsEverythingVisibleWithoutATokenAsPublic) {
  service.answer(kProjects, "[" + project("short") + ", " + project("hidden", R"(, "visibility": "private")") + "]");
  ASSERT_TRUE(succeeded(look_up("mona")));
  EXPECT_THAT(recorder.repository_rows, ElementsAre("mona/short name=short"));
}

TEST_F(Gitlab, RequestsTheCalendarWithoutItsToken) {
  open_with_token();
  ASSERT_TRUE(succeeded(look_up("mona")));
  EXPECT_EQ(service.received(kCalendar).front().field("authorization"), "");
  EXPECT_EQ(service.received(kFound).front().field("authorization"), "Bearer s3cret");
}

TEST_F(Gitlab, HasNoContributionsIfTheCalendarIsNotPublic) {
  for (const int status : {302, 401, 403, 404}) {
    service.answer(kCalendar, Canned{status, {"Location: /users/sign_in"}, "<html>"});
    ASSERT_TRUE(succeeded(look_up("mona"))) << status;
    EXPECT_EQ(recorder.period, "") << status;
  }
}

TEST_F(Gitlab, ReturnsOnlyTheNameOfAPrivateProfile) {
  open_with_token();
  service.answer(kUser, R"({"id": 7, "username": "mona", "bio": "Paints", "private_profile": true})");
  ASSERT_TRUE(succeeded(look_up("mona")));
  EXPECT_EQ(recorder.profile_row, "mona name=Mona");
}

TEST_F(Gitlab, ReturnsOnlyTheNameIfDetailsAreRestrictedToMembers) {
  service.answer(kUser, Canned{403, {}, R"({"message": "403 Forbidden"})"});
  ASSERT_TRUE(succeeded(look_up("mona")));
  EXPECT_EQ(recorder.profile_row, "mona name=Mona");
}

TEST_F(Gitlab, ListsTheProjectsOfTheUserWithThatNameNotWithThatId) {
  service.answer("/api/v4/users?username=8", R"([{"id": 7, "username": "8"}])");
  service.answer("/api/v4/users/8/projects?visibility=public&order_by=last_activity_at&sort=desc&per_page=100",
                 "[" + project("of-another") + "]");
  ASSERT_TRUE(succeeded(look_up("8")));
  EXPECT_THAT(recorder.repository_rows, ElementsAre(StartsWith("mona/a "), StartsWith("mona/b ")));
}

TEST_F(Gitlab, DoesNotFindUnknownOrBlockedUsers) {
  service.answer(kFound, "[]");
  EXPECT_TRUE(failed_for(look_up("mona"), ErrorCode::NotFound));
  service.answer(kFound, R"([{"id": 7, "username": "mona", "state": "blocked"}])");
  EXPECT_TRUE(failed_for(look_up("mona"), ErrorCode::NotFound));
}

TEST_F(Gitlab, FollowsPagesRegardlessOfTheHostInTheLink) {
  service.answer(kProjects, {200,
                             {R"(Link: <http://gitlab.internal/api/v4/users/7/projects?page=2>; rel="next")"},
                             "[" + project("a") + "]"});
  service.answer("/api/v4/users/7/projects?page=2", "[" + project("b") + "]");
  ASSERT_TRUE(succeeded(look_up("mona")));
  EXPECT_THAT(recorder.repository_rows, SizeIs(2));
}

TEST_F(Gitlab, DetectsUnchangedDataByEntityTagsAndDigests) {
  const auto first = look_up("mona");
  ASSERT_TRUE(succeeded(first));
  service.forget_calls();
  const auto second = look_up("mona", first->validator);
  ASSERT_TRUE(succeeded(second));
  EXPECT_EQ(second->outcome, LookUp::Outcome::Unchanged);
  EXPECT_EQ(service.calls(), 4U);
  service.answer(kCalendar, R"({"2026-03-14": 2})");
  const auto third = look_up("mona", first->validator);
  ASSERT_TRUE(succeeded(third));
  EXPECT_EQ(third->outcome, LookUp::Outcome::Updated);
}

TEST_F(Gitlab, IsUnavailableWhileRateLimited) {
  service.answer(kFound, Canned{429, {"Retry-After: 33"}, "Retry later"});
  const auto limited = look_up("mona");
  EXPECT_TRUE(failed_for(limited, ErrorCode::Unavailable, "rate limit"));
  EXPECT_EQ(limited.error().retry_after, 33s);
}

TEST_F(Gitlab, SendsRequestsWithItsTokenDespiteALimitWithoutIt) {
  open_with_token();
  service.answer(kCalendar, Canned{429, {"Retry-After: 33"}, "Retry later"});
  EXPECT_TRUE(failed_for(look_up("mona"), ErrorCode::Unavailable, "rate limit"));
  service.answer(kCalendar, R"({"2026-03-14": 2})");
  EXPECT_TRUE(succeeded(look_up("mona")));
}

TEST_F(Gitlab, AcceptsTheUrlOfItsApi) {
  auto api_options = options();
  api_options.base_url += "/api/v4/";
  open(api_options);
  ASSERT_TRUE(succeeded(look_up("mona")));
  EXPECT_THAT(recorder.days, SizeIs(2));
}

TEST_F(Gitlab, ChecksWhetherAUsernameIsPossible) {
  for (const char* name : {"a", "mona.lisa", "_a", "a-b", "A_1", ".a"}) EXPECT_TRUE(host().is_username(name)) << name;
  for (const char* name : {"", "-a", "a.", "a.git", "a.atom", ".", "..", "a/b", "a b", "a&b=c", "\xc3\xa4"})
    EXPECT_FALSE(host().is_username(name)) << name;
  EXPECT_TRUE(host().is_username(std::string(255, 'a')));
  EXPECT_FALSE(host().is_username(std::string(256, 'a')));
}

TEST_F(Gitlab, IsHealthyWhileItResponds) {
  service.answer("/api/v4/version", Canned{401, {}, "{}"});
  EXPECT_TRUE(succeeded(host().health(curl.call)));
  open_with_token();
  EXPECT_TRUE(failed(host().health(curl.call), ErrorCode::BadUpstream));
}

}  // namespace
}  // namespace kbase::tests
