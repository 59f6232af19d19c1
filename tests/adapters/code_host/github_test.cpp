// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include "adapters/github/github_code_host.hpp"
#include "tests/adapters/code_host/code_host_fixture.hpp"

namespace kbase::tests {
namespace {

using ports::LookUp;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::Pair;
using testing::SizeIs;
using testing::StartsWith;

constexpr char kUser[] = "/users/mona";
constexpr char kRepositories[] = "/users/mona/repos?per_page=100&sort=updated&type=owner";
constexpr char kEvents[] = "/users/mona/events/public?per_page=100";

std::string repository(const std::string& name, const std::string& updated, const std::string& more = "") {
  return R"({"name": ")" + name + R"(", "full_name": "mona/)" + name +
         R"(", "private": false, "language": "C++", "updated_at": ")" + updated + "\"" + more + "}";
}

/// Returns `count` repositories, all with languages.
std::string many_repositories(int count) {
  std::string list;
  for (int i = 0; i < count; ++i)
    list += (i == 0 ? "" : ", ") + repository("r" + std::to_string(i), "2026-03-01T00:00:00Z");
  return "[" + list + "]";
}

std::string calendar(const std::string& more = "") {
  return R"({"data": {"user": {"contributionsCollection": {"contributionCalendar": {"weeks": [{"contributionDays": [
    {"date": "2026-03-12", "contributionCount": 3}, {"date": "2026-03-13", "contributionCount": 0},
    {"date": "2026-03-14", "contributionCount": 4}]}]})" +
         more + "}}}}";
}

class Github : public testing::Test, protected CodeHostFixture<github::GithubCodeHost> {
 protected:
  Github() {
    service.answer(kUser, {200, {"ETag: W/\"u1\""}, R"({"login": "Mona", "name": "Mona Lisa", "bio": null, "blog": "",
      "company": "@github", "location": "Paris", "avatar_url": "https://a.example/1", "html_url": "https://g.example/mona",
      "followers": 7, "following": 0, "public_repos": 2, "created_at": "2011-01-25T18:44:36Z"})"});
    service.answer(
        kRepositories,
        {200,
         {"ETag: W/\"r1\""},
         "[" + repository("old", "2020-01-01T00:00:00Z", R"(, "fork": true, "archived": true, "topics": [])") + ", " +
             repository("new", "2026-03-01T00:00:00Z", R"(, "fork": false, "stargazers_count": 5, "forks_count": 1,
        "description": "A thing", "html_url": "https://g.example/new", "topics": ["a", "b"],
        "created_at": "2019-01-01T00:00:00Z")") +
             "]"});
    service.answer(kEvents, {200, {"ETag: \"e1\""}, "[]"});
    service.answer("/repos/mona/old/languages", R"({"C++": 100, "Shell": 100})");
    service.answer("/repos/mona/new/languages", R"({"C++": 500, "Python": 300})");
  }
};

TEST_F(Github, ReturnsProfileRepositoriesAndLanguages) {
  ASSERT_TRUE(succeeded(look_up("mona")));
  EXPECT_EQ(recorder.profile_row,
            "Mona name=Mona Lisa company=@github location=Paris avatar=https://a.example/1 "
            "url=https://g.example/mona followers=7 following=0 repositories=2 created=2011-01-25T18:44:36Z");
  EXPECT_THAT(
      recorder.repository_rows,
      ElementsAre("mona/new name=new description=A thing url=https://g.example/new language=C++ topic=a topic=b "
                  "stars=5 forks=1 fork=no created=2019-01-01T00:00:00Z updated=2026-03-01T00:00:00Z",
                  "mona/old name=old language=C++ fork=yes archived=yes updated=2020-01-01T00:00:00Z"));
  EXPECT_THAT(recorder.languages, ElementsAre(Pair("C++", 0.6), Pair("Python", 0.3), Pair("Shell", 0.1)));
}

TEST_F(Github, ReturnsOnlyPublicDataEvenWithAToken) {
  open_with_token();
  service.answer(kRepositories,
                 "[" + repository("public", "2026-01-01T00:00:00Z", R"(, "visibility": "public")") + ", " +
                     repository("internal", "2026-01-01T00:00:00Z", R"(, "visibility": "internal")") +
                     R"(, {"name": "hidden", "full_name": "mona/hidden", "private": true, "language": "C"})" +
                     R"(, {"name": "unclear", "full_name": "mona/unclear", "language": "C"}])");
  service.answer("/graphql", calendar());
  ASSERT_TRUE(succeeded(look_up("mona")));
  EXPECT_THAT(recorder.repository_rows, ElementsAre(StartsWith("mona/public ")));
  EXPECT_THAT(service.received("hidden"), IsEmpty());
  EXPECT_THAT(service.received("internal"), IsEmpty());
}

TEST_F(Github, SendsItsTokenIfConfigured) {
  open_with_token();
  ASSERT_TRUE(succeeded(look_up("mona")));
  for (const ReceivedRequest& request : service.received()) {
    EXPECT_EQ(request.field("authorization"), "Bearer s3cret");
    EXPECT_EQ(request.field("accept"), "application/vnd.github+json");
  }
  open(options());
  service.forget_calls();
  ASSERT_TRUE(succeeded(look_up("mona")));
  EXPECT_EQ(service.received().back().field("authorization"), "");
}

TEST_F(Github, FollowsPagesByPathUpToTheNumberOfRepositories) {
  service.answer(kRepositories, {200,
                                 {R"(Link: <https://api.github.com/user/7/repos?page=2>; rel="next")"},
                                 "[" + repository("a", "2026-03-03T00:00:00Z") + "]"});
  service.answer("/user/7/repos?page=2", {200,
                                          {R"(Link: <{url}/user/7/repos?page=3>; rel="next")"},
                                          "[" + repository("b", "2026-03-02T00:00:00Z") + ", " +
                                              repository("a", "2026-03-03T00:00:00Z") + "]"});
  service.answer("/user/7/repos?page=3", "[" + repository("c", "2026-03-01T00:00:00Z") + "]");
  ASSERT_TRUE(succeeded(look_up("mona")));
  EXPECT_THAT(recorder.repository_rows,
              ElementsAre(StartsWith("mona/a "), StartsWith("mona/b "), StartsWith("mona/c ")));

  auto two = options();
  two.max_repositories = 2;
  open(two);
  service.forget_calls();
  ASSERT_TRUE(succeeded(look_up("mona")));
  EXPECT_THAT(recorder.repository_rows, SizeIs(2));
  EXPECT_THAT(service.received("page=3"), SizeIs(1));
}

TEST_F(Github, LimitsItsRequests) {
  service.answer(kRepositories, many_repositories(60));
  ASSERT_TRUE(succeeded(look_up("mona")));
  EXPECT_EQ(service.calls(), 20U);
  EXPECT_THAT(recorder.repository_rows, SizeIs(60));
}

TEST_F(Github, LimitsItsRequestsForEndlessLists) {
  service.answer(kRepositories, {200,
                                 {"Link: <" + std::string(kRepositories) + ">; rel=\"next\""},
                                 "[" + repository("a", "2026-03-01T00:00:00Z") + "]"});
  ASSERT_TRUE(succeeded(look_up("mona")));
  EXPECT_EQ(service.calls(), 20U);
}

TEST_F(Github, SendsRequestsConcurrently) {
  service.answer(kRepositories, many_repositories(10));
  service.hold("languages", 5);  // five requests must be pending before one is answered
  ASSERT_TRUE(succeeded(look_up("mona")));
  EXPECT_THAT(service.received("languages"), SizeIs(10));
}

TEST_F(Github, SkipsLanguagesOfDeletedRepositories) {
  service.answer("/repos/mona/old/languages", Canned{404, {}, "{}"});
  ASSERT_TRUE(succeeded(look_up("mona")));
  EXPECT_THAT(recorder.languages, ElementsAre(Pair("C++", 0.625), Pair("Python", 0.375)));
}

TEST_F(Github, DetectsUnchangedDataByEntityTags) {
  const auto first = look_up("mona");
  ASSERT_TRUE(succeeded(first));
  service.forget_calls();
  const auto second = look_up("mona", first->validator);
  ASSERT_TRUE(succeeded(second));
  EXPECT_EQ(second->outcome, LookUp::Outcome::Unchanged);
  EXPECT_EQ(recorder.calls, 0);
  EXPECT_EQ(service.calls(), 3U);
  EXPECT_EQ(service.received(kRepositories).back().field("if-none-match"), "W/\"r1\"");
}

TEST_F(Github, ReturnsEverythingIfOneResponseChanged) {
  service.answer(kRepositories, {200, {"ETag: \"r1\""}, many_repositories(30)});
  const auto first = look_up("mona");
  ASSERT_TRUE(succeeded(first));
  service.answer(kEvents, {200, {"ETag: \"e2\""}, R"([{"type": "PushEvent", "created_at": "2026-03-10T10:00:00Z"}])"});
  service.forget_calls();
  const auto second = look_up("mona", first->validator);
  ASSERT_TRUE(succeeded(second));
  EXPECT_EQ(second->outcome, LookUp::Outcome::Updated);
  EXPECT_THAT(recorder.days, ElementsAre(Pair("2026-03-10", 1)));
  EXPECT_THAT(recorder.repository_rows, SizeIs(30));
  EXPECT_EQ(service.calls(), 20U);
  EXPECT_THAT(service.received(kEvents), SizeIs(2)) << "changed responses are not requested again";
  EXPECT_NE(second->validator, first->validator);
}

TEST_F(Github, DetectsChangesOfResponsesWithoutEntityTag) {
  open_with_token();
  service.answer("/graphql", calendar());
  const auto first = look_up("mona");
  ASSERT_TRUE(succeeded(first));
  const auto same = look_up("mona", first->validator);
  ASSERT_TRUE(succeeded(same));
  EXPECT_EQ(same->outcome, LookUp::Outcome::Unchanged);
  service.answer("/graphql", R"({"data": {"user": null}})");
  const auto changed = look_up("mona", first->validator);
  ASSERT_TRUE(succeeded(changed));
  EXPECT_EQ(changed->outcome, LookUp::Outcome::Updated);
}

TEST_F(Github, AcceptsAValidatorOnlyOnItsDay) {
  const auto first = look_up("mona");
  ASSERT_TRUE(succeeded(first));
  curl.clock.advance(24h);
  const auto next_day = look_up("mona", first->validator);
  ASSERT_TRUE(succeeded(next_day));
  EXPECT_EQ(next_day->outcome, LookUp::Outcome::Updated);
}

TEST_F(Github, IgnoresAnInvalidValidator) {
  for (const std::string validator :
       {"x", "2026-03-14", "2026-03-14\n", "2026-03-14\nW/\"r1\"", "2026-03-14\nW/\"r1\" //elsewhere.example/x y"}) {
    const auto looked = look_up("mona", validator);
    ASSERT_TRUE(succeeded(looked)) << validator;
    EXPECT_EQ(looked->outcome, LookUp::Outcome::Updated) << validator;
  }
}

TEST_F(Github, IgnoresTargetsOfAValidatorOutsideItsPath) {
  auto subpath_options = options();
  subpath_options.base_url += "/sub";
  open(subpath_options);
  EXPECT_TRUE(failed_for(look_up("mona", "2026-03-14\n#x /elsewhere\n#x /sub/../elsewhere"), ErrorCode::NotFound));
  EXPECT_EQ(service.received("elsewhere").size(), 0U);
}

TEST_F(Github, DoesNotFindAnUnknownUser) {
  EXPECT_TRUE(failed_for(look_up("unknown"), ErrorCode::NotFound));
  const auto known = look_up("mona");
  ASSERT_TRUE(succeeded(known));
  service.answer(kUser, Canned{404, {}, "{}"});
  EXPECT_TRUE(failed_for(look_up("mona", known->validator), ErrorCode::NotFound));
}

TEST_F(Github, ReportsARejectedTokenWithoutQuotingIt) {
  open_with_token();
  service.answer(kUser, Canned{401, {}, R"({"message": "Bad credentials"})"});
  const auto refused = look_up("mona");
  EXPECT_TRUE(failed_for(refused, ErrorCode::BadUpstream, "refuses codehost.config.token"));
  EXPECT_THAT(refused.error().detail, Not(HasSubstr("s3cret")));
}

TEST_F(Github, IsUnavailableUntilItsRateLimitResets) {
  service.answer("/repos/mona/old/languages",
                 Canned{403, {"X-RateLimit-Remaining: 0", "X-RateLimit-Reset: 1773489660"}, "{}"});
  const auto limited = look_up("mona");  // the clock shows 1773489600
  EXPECT_TRUE(failed_for(limited, ErrorCode::Unavailable, "rate limit"));
  EXPECT_EQ(limited.error().retry_after, 60s);
}

TEST_F(Github, SendsNothingWhileTheRateLimitIsExhausted) {
  service.answer(kUser, Canned{429, {"Retry-After: 60"}, "{}"});
  EXPECT_TRUE(failed_for(look_up("mona"), ErrorCode::Unavailable, "rate limit"));
  service.forget_calls();
  curl.clock.advance(59s);
  const auto limited = look_up("another");
  EXPECT_TRUE(failed_for(limited, ErrorCode::Unavailable, "rate limit"));
  EXPECT_EQ(limited.error().retry_after, 1s);
  EXPECT_EQ(service.calls(), 0U);
  EXPECT_TRUE(succeeded(host().health(curl.call))) << "this request is free";
  curl.clock.advance(1s);
  EXPECT_TRUE(failed_for(look_up("another"), ErrorCode::NotFound));
}

TEST_F(Github, PausesForAtMostAnHour) {
  service.answer(kUser, Canned{429, {"Retry-After: 86400"}, "{}"});
  const auto limited = look_up("mona");
  EXPECT_TRUE(failed_for(limited, ErrorCode::Unavailable, "rate limit"));
  EXPECT_EQ(limited.error().retry_after, 24h);
  curl.clock.advance(1h);
  EXPECT_TRUE(failed_for(look_up("another"), ErrorCode::NotFound));
}

TEST_F(Github, DistinguishesAnUnreachableServiceFromAFailingOne) {
  service.answer(kUser, Canned{503, {"Retry-After: 20"}, "<html>"});
  const auto away = look_up("mona");
  EXPECT_TRUE(failed_for(away, ErrorCode::Unavailable, "GET /users/mona returned 503"));
  EXPECT_EQ(away.error().retry_after, 20s);
  service.answer(kUser, Canned{500, {}, "{}"});
  EXPECT_TRUE(failed_for(look_up("mona"), ErrorCode::BadUpstream, "returned 500"));
}

TEST_F(Github, RejectsInvalidResponses) {
  for (const std::string body : {"", "[]", "<html>", "{", "{\"login\": \"\"}", "{}", "\"\xff\"", "null"}) {
    service.answer(kUser, body);
    EXPECT_TRUE(failed_for(look_up("mona"), ErrorCode::BadUpstream)) << body;
  }
  service.answer(kUser, R"({"login": "mona"})");
  for (const std::string body : {"", "{}", "[1]", "[[", "null"}) {
    service.answer(kRepositories, body);
    EXPECT_TRUE(failed_for(look_up("mona"), ErrorCode::BadUpstream)) << body;
  }
}

TEST_F(Github, ReturnsNoMoreThanThePortAccepts) {
  const std::string long_text(90'000, 'x');
  std::string list = repository("r", "2026-03-01T00:00:00Z");
  for (int i = 0; i < 85; ++i)
    list += "," + repository(std::to_string(i), "2026-03-01T00:00:00Z", R"(, "description": ")" + long_text + "\"");
  service.answer(kRepositories, "[" + list + "]");
  EXPECT_TRUE(failed_for(look_up("mona"), ErrorCode::BadUpstream, "too long"));
  service.answer(kRepositories, "[]");
  service.answer(kUser, R"({"login": "mona", "bio": ")" + std::string(8'000'000, 'x') + "\"}");
  EXPECT_TRUE(failed_for(look_up("mona"), ErrorCode::BadUpstream, "too long"));
}

TEST_F(Github, IgnoresMembersOfOtherTypes) {
  service.answer(kUser, R"({"login": "mona", "name": 5, "followers": -1, "following": "9", "created_at": "today"})");
  service.answer(kRepositories, R"([{"name": 1, "full_name": [], "private": false}, {"private": "no"}, {}])");
  service.answer(kEvents, R"([1, {"type": 2}, {"created_at": null}])");
  ASSERT_TRUE(succeeded(look_up("mona")));
  EXPECT_EQ(recorder.profile_row, "mona");
  EXPECT_THAT(recorder.repository_rows, IsEmpty());
}

TEST_F(Github, FollowsARenameOnlyWithinItsOrigin) {
  service.answer("/users/old", Canned{301, {"Location: {url}/user/7"}, {}});
  service.answer("/users/old/repos?per_page=100&sort=updated&type=owner", "[]");
  service.answer("/user/7", R"({"login": "mona"})");
  ASSERT_TRUE(succeeded(look_up("old")));
  EXPECT_EQ(recorder.profile_row, "mona");
  service.answer("/users/old", Canned{301, {"Location: https://elsewhere.example/user/7"}, {}});
  EXPECT_TRUE(failed_for(look_up("old"), ErrorCode::BadUpstream, "returned 301"));
  service.answer("/users/old", Canned{301, {"Location: /users/old"}, {}});
  EXPECT_TRUE(failed_for(look_up("old"), ErrorCode::BadUpstream, "returned 301"));
}

TEST_F(Github, CountsPublicEventsWithoutAToken) {
  service.answer(kEvents, R"([
    {"type": "PushEvent", "created_at": "2026-03-14T08:00:00Z", "public": true},
    {"type": "PushEvent", "created_at": "2026-03-14T07:00:00Z", "public": false},
    {"type": "WatchEvent", "created_at": "2026-03-13T08:00:00Z"},
    {"type": "IssuesEvent", "payload": {"action": "opened"}, "created_at": "2026-03-12T08:00:00Z"},
    {"type": "IssuesEvent", "payload": {"action": "closed"}, "created_at": "2026-03-12T08:00:00Z"},
    {"type": "PullRequestEvent", "payload": {"action": "opened"}, "created_at": "2026-03-12T08:00:00Z"},
    {"type": "CreateEvent", "payload": {"ref_type": "branch"}, "created_at": "2026-03-11T08:00:00Z"},
    {"type": "CreateEvent", "payload": {"ref_type": "repository"}, "created_at": "2026-03-11T08:00:00Z"},
    {"type": "PullRequestReviewEvent", "created_at": "2026-03-10T08:00:00Z"}])");
  ASSERT_TRUE(succeeded(look_up("mona")));
  EXPECT_EQ(recorder.period, "2026-02-13 to 2026-03-14: public events of GitHub");
  EXPECT_THAT(recorder.days,
              ElementsAre(Pair("2026-03-10", 1), Pair("2026-03-11", 1), Pair("2026-03-12", 2), Pair("2026-03-14", 1)));
}

TEST_F(Github, OmitsTheDayThatTheEventsCoverPartly) {
  service.answer(kEvents, {200, {R"(Link: </user/7/events?page=2>; rel="next")"}, R"([
    {"type": "PushEvent", "created_at": "2026-03-14T08:00:00Z"},
    {"type": "PushEvent", "created_at": "2026-03-12T08:00:00Z"}])"});
  ASSERT_TRUE(succeeded(look_up("mona")));
  EXPECT_THAT(recorder.period, StartsWith("2026-03-13 to 2026-03-14: "));
  EXPECT_THAT(recorder.days, ElementsAre(Pair("2026-03-14", 1)));
}

TEST_F(Github, HasNoContributionsIfEventsAreDenied) {
  service.answer(kEvents, Canned{404, {}, "{}"});
  ASSERT_TRUE(succeeded(look_up("mona")));
  EXPECT_EQ(recorder.period, "");
}

TEST_F(Github, ContinuesWithoutAPartThatFails) {
  service.answer(kEvents, Canned{500, {}, "{}"});
  service.answer("/repos/mona/old/languages", Canned{502, {}, "<html>"});
  service.answer("/repos/mona/new/languages", R"({"C++": 500)");
  const auto first = look_up("mona");
  ASSERT_TRUE(succeeded(first));
  EXPECT_EQ(recorder.period, "");
  EXPECT_THAT(recorder.languages, IsEmpty());
  EXPECT_THAT(recorder.repository_rows, SizeIs(2));
  EXPECT_EQ(first->validator, "") << "the next look-up reads the parts again";
}

TEST_F(Github, ContinuesIfAPartFailsWhileItIsValidated) {
  const auto first = look_up("mona");
  ASSERT_TRUE(succeeded(first));
  service.answer(kEvents, Canned{500, {}, "{}"});
  const auto second = look_up("mona", first->validator);
  ASSERT_TRUE(succeeded(second));
  EXPECT_EQ(second->outcome, LookUp::Outcome::Updated);
  EXPECT_EQ(recorder.period, "");
}

TEST_F(Github, UsesTheCalendarIfItHasAToken) {
  open_with_token();
  service.answer("/graphql",
                 calendar(R"(, "commitContributionsByRepository": [{"repository": {"isPrivate": false}}])"));
  ASSERT_TRUE(succeeded(look_up("mona")));
  EXPECT_EQ(recorder.period, "2026-03-12 to 2026-03-14: GitHub's contribution calendar");
  EXPECT_THAT(recorder.days, ElementsAre(Pair("2026-03-12", 3), Pair("2026-03-14", 4)));
  const ReceivedRequest request = service.received("/graphql").front();
  EXPECT_EQ(request.method, "POST");
  EXPECT_EQ(request.field("content-type"), "application/json");
  EXPECT_THAT(request.body, HasSubstr(R"("variables":{"login":"mona"})"));
}

TEST_F(Github, IgnoresACalendarWithPrivateContributions) {
  open_with_token();
  const std::string own = R"("repositoryContributions": {"nodes": [{"repository": {"isPrivate": true}}]})";
  const std::string commits = R"("commitContributionsByRepository": [{"repository": {"isPrivate": true}}])";
  const std::string reviews = R"("pullRequestReviewContributionsByRepository": [{"repository": {"isPrivate": true}}])";
  for (const std::string& more : {own, commits, reviews}) {
    service.answer("/graphql", calendar(", " + more));
    ASSERT_TRUE(succeeded(look_up("mona")));
    EXPECT_THAT(recorder.period, HasSubstr("public events")) << more;
    EXPECT_THAT(recorder.days, IsEmpty());
  }
}

TEST_F(Github, CountsEventsIfGraphqlReturnsNoCalendar) {
  open_with_token();
  const std::string outdated = std::string(calendar()).replace(calendar().find("2026"), 4, "1926");
  for (const std::string& answer : {std::string(R"({"data": {"user": null}})"), std::string("{}"), outdated}) {
    service.answer("/graphql", answer);
    ASSERT_TRUE(succeeded(look_up("mona")));
    EXPECT_THAT(recorder.period, HasSubstr("public events")) << answer;
  }
}

TEST_F(Github, QueriesAnEnterpriseServerBelowItsPath) {
  auto enterprise = options();
  enterprise.base_url += "/api/v3/";
  enterprise.token = "s3cret";
  open(enterprise);
  service.answer("/api/v3/users/mona", R"({"login": "mona"})");
  service.answer("/api/v3/users/mona/repos?per_page=100&sort=updated&type=owner", "[]");
  service.answer("/api/graphql", calendar());
  ASSERT_TRUE(succeeded(look_up("mona")));
  EXPECT_THAT(recorder.period, HasSubstr("calendar"));
}

TEST_F(Github, ChecksWhetherAUsernameIsPossible) {
  for (const char* name : {"a", "octocat", "Octo-Cat", "a--b", "old-", "mona_octo", "7"})
    EXPECT_TRUE(host().is_username(name)) << name;
  for (const char* name : {"", "-a", "a.b", "a b", "a/b", "../x", "a?b", "a%2Fb", "\xc3\xa4"})
    EXPECT_FALSE(host().is_username(name)) << name;
  EXPECT_TRUE(host().is_username(std::string(39, 'a')));
  EXPECT_FALSE(host().is_username(std::string(40, 'a')));
}

TEST_F(Github, IsHealthyWhileItResponds) {
  EXPECT_TRUE(succeeded(host().health(curl.call))) << "an Enterprise Server without rate limits answers 404";
  service.answer("/rate_limit", Canned{401, {}, "{}"});
  EXPECT_TRUE(succeeded(host().health(curl.call)));
  open_with_token();
  EXPECT_TRUE(failed(host().health(curl.call), ErrorCode::BadUpstream));
  service.answer("/rate_limit", Canned{502, {}, "{}"});
  EXPECT_TRUE(failed(host().health(curl.call), ErrorCode::BadUpstream));
}

TEST(GithubOptions, NeedNoHttpUntilTheFirstRequest) {
  const conformance::ManualClock clock;
  code_host::Options options;
  options.base_url = "https://api.github.com";
  const auto host = github::GithubCodeHost::open(nullptr, clock, options);
  ASSERT_TRUE(succeeded(host));
  ports::Call call;
  UserRecorder recorder;
  EXPECT_TRUE((*host)->is_username("mona"));
  EXPECT_TRUE(
      failed_for((*host)->look_up(call, "mona", {}, recorder), ErrorCode::Unavailable, "there is no HTTP client"));
}

}  // namespace
}  // namespace kbase::tests
