// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include "adapters/gitea/gitea_code_host.hpp"
#include "tests/adapters/code_host/code_host_fixture.hpp"

namespace kbase::tests {
namespace {

using ports::LookUp;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::Pair;
using testing::SizeIs;
using testing::StartsWith;

constexpr char kUser[] = "/api/v1/users/mona";
constexpr char kHeatmap[] = "/api/v1/users/mona/heatmap";
constexpr char kRepositories[] =
    "/api/v1/repos/search?uid=7&exclusive=true&private=false&sort=updated&order=desc&limit=50";

std::string repository(const std::string& name, const std::string& more) {
  return R"({"name": ")" + name + R"(", "full_name": "mona/)" + name + R"(", "language": "Go", )" + more + "}";
}

class Gitea : public testing::Test, protected CodeHostFixture<gitea::GiteaCodeHost> {
 protected:
  Gitea() {
    service.answer(kUser, R"({"id": 7, "login": "mona", "full_name": "Mona Lisa", "description": "Paints",
      "location": "Paris", "website": "https://mona.example", "avatar_url": "https://a.example/1", "visibility": "public",
      "html_url": "https://t.example/mona", "followers_count": 3, "following_count": 1, "created": "2017-10-22T20:25:33+02:00"})");
    service.answer(
        kRepositories,
        R"({"ok": true, "data": [)" +
            repository(
                "a",
                R"("private": false, "internal": false, "description": "A thing", "stars_count": 2, "forks_count": 1,
        "fork": false, "archived": true, "topics": ["x"], "html_url": "https://t.example/mona/a",
        "created_at": "2017-10-22T18:25:33Z", "updated_at": "2017-11-16T22:07:01Z")") +
            "]}");
    service.answer(kHeatmap,
                   R"([{"timestamp": 1773446400, "contributions": 2}, {"timestamp": 1773489600, "contributions": 1},
      {"timestamp": 1000000000, "contributions": 9}, {"timestamp": -1, "contributions": 1}])");
    service.answer("/api/v1/repos/mona/a/languages", R"({"Go": 900, "Shell": 100})");
  }
};

TEST_F(Gitea, ReturnsProfileRepositoriesContributionsAndLanguages) {
  ASSERT_TRUE(succeeded(look_up("mona")));
  EXPECT_EQ(recorder.profile_row,
            "mona name=Mona Lisa bio=Paints location=Paris website=https://mona.example avatar=https://a.example/1 "
            "url=https://t.example/mona followers=3 following=1 created=2017-10-22T18:25:33Z");
  EXPECT_THAT(recorder.repository_rows,
              ElementsAre("mona/a name=a description=A thing url=https://t.example/mona/a language=Go topic=x stars=2 "
                          "forks=1 fork=no archived=yes created=2017-10-22T18:25:33Z updated=2017-11-16T22:07:01Z"));
  EXPECT_EQ(recorder.period, "2025-03-14 to 2026-03-14: Gitea's heatmap");
  EXPECT_THAT(recorder.days, ElementsAre(Pair("2026-03-14", 3)));
  EXPECT_THAT(recorder.languages, ElementsAre(Pair("Go", 0.9), Pair("Shell", 0.1)));
}

TEST_F(Gitea, ReturnsOnlyPublicDataEvenWithAToken) {
  open_with_token();
  service.answer(kRepositories, R"({"data": [)" + repository("hidden", R"("private": true)") + ", " +
                                    repository("internal", R"("private": false, "internal": true)") + ", " +
                                    repository("public", R"("private": false)") + ", " +
                                    repository("unclear", R"("x": 1)") + "]}");
  ASSERT_TRUE(succeeded(look_up("mona")));
  EXPECT_THAT(recorder.repository_rows, ElementsAre(StartsWith("mona/public ")));
}

TEST_F(Gitea, FindsOnlyUsersVisibleToAnonymousVisitors) {
  open_with_token();
  for (const std::string visibility : {"private", "limited"}) {
    service.answer(kUser, R"({"id": 7, "login": "mona", "visibility": ")" + visibility + "\"}");
    EXPECT_TRUE(failed_for(look_up("mona"), ErrorCode::NotFound)) << visibility;
  }
  EXPECT_TRUE(failed_for(look_up("unknown"), ErrorCode::NotFound));
}

TEST_F(Gitea, RequestsTheHeatmapWithoutItsToken) {
  open_with_token();
  ASSERT_TRUE(succeeded(look_up("mona")));
  for (const ReceivedRequest& request : service.received(kUser))
    EXPECT_EQ(request.field("authorization"), request.target == kHeatmap ? "" : "Bearer s3cret") << request.target;
  EXPECT_EQ(service.received(kHeatmap).size(), 1U);
}

TEST_F(Gitea, HasNoContributionsIfTheHeatmapIsDisabled) {
  service.answer(kHeatmap, Canned{404, {}, "{}"});
  ASSERT_TRUE(succeeded(look_up("mona")));
  EXPECT_EQ(recorder.period, "");
}

TEST_F(Gitea, DetectsUnchangedDataByDigests) {
  const auto first = look_up("mona");
  ASSERT_TRUE(succeeded(first));
  service.forget_calls();
  const auto second = look_up("mona", first->validator);
  ASSERT_TRUE(succeeded(second));
  EXPECT_EQ(second->outcome, LookUp::Outcome::Unchanged);
  EXPECT_EQ(recorder.calls, 0);
  EXPECT_EQ(service.calls(), 3U);
}

TEST_F(Gitea, RevalidatesTheHeatmapWithoutItsToken) {
  open_with_token();
  const auto first = look_up("mona");
  ASSERT_TRUE(succeeded(first));
  ASSERT_TRUE(succeeded(look_up("mona", first->validator)));
  EXPECT_EQ(service.received(kHeatmap).back().field("authorization"), "");
}

TEST_F(Gitea, RejectsADeeplyNestedList) {
  constexpr std::size_t kLevels = 1'000'000;
  service.answer(kRepositories, R"({"data": )" + std::string(kLevels, '[') + std::string(kLevels, ']') + "}");
  EXPECT_TRUE(failed_for(look_up("mona"), ErrorCode::BadUpstream));
}

TEST_F(Gitea, AcceptsContributionsOnEveryDayOfAYear) {
  std::string heatmap = "[";
  for (int i = 0; i < 366 * 96; ++i)
    heatmap.append(i == 0 ? "" : ",")
        .append(R"({"timestamp": )")
        .append(std::to_string(1773489600 - 900 * i))
        .append(R"(, "contributions": 1})");
  service.answer(kHeatmap, heatmap + "]");
  ASSERT_TRUE(succeeded(look_up("mona")));
  EXPECT_THAT(recorder.days, SizeIs(366));
  EXPECT_EQ(recorder.days["2026-03-13"], 96U);
}

TEST_F(Gitea, RejectsSumsThatOverflow) {
  service.answer(kHeatmap, R"([{"timestamp": 1773446400, "contributions": 18446744073709551615},
      {"timestamp": 1773446400, "contributions": 9007199254740991}, {"timestamp": 1773446400, "contributions": 2}])");
  service.answer("/api/v1/repos/mona/a/languages", R"({"Go": 900, "Shell": 1e308, "C": 1e308, "D": 100})");
  ASSERT_TRUE(succeeded(look_up("mona")));
  EXPECT_THAT(recorder.days, ElementsAre(Pair("2026-03-14", std::uint64_t{1} << 32)));
  EXPECT_THAT(recorder.languages, ElementsAre(Pair("D", 0.1), Pair("Go", 0.9)));
}

TEST_F(Gitea, ReportsThatItRequiresATokenIfVisitorsMustSignIn) {
  service.answer(kUser, Canned{403, {}, R"({"message": "Only signed in user is allowed to call APIs."})"});
  EXPECT_TRUE(failed_for(look_up("mona"), ErrorCode::BadUpstream, "requires a codehost.config.token"));
}

TEST_F(Gitea, AcceptsTheUrlOfItsApi) {
  auto api_options = options();
  api_options.base_url += "/api/v1";
  open(api_options);
  ASSERT_TRUE(succeeded(look_up("mona")));
  EXPECT_THAT(recorder.repository_rows, SizeIs(1));
}

TEST_F(Gitea, ChecksWhetherAUsernameIsPossible) {
  for (const char* name : {"a", "7", "mona.lisa", "a-b_c.d", "old-"}) EXPECT_TRUE(host().is_username(name)) << name;
  for (const char* name : {"", "-a", ".a", "_a", "..", "a/b", "a b", "a?b", "\xc3\xa4", "search"})
    EXPECT_FALSE(host().is_username(name)) << name;
  EXPECT_TRUE(host().is_username(std::string(40, 'a')));
  EXPECT_FALSE(host().is_username(std::string(41, 'a')));
}

}  // namespace
}  // namespace kbase::tests
