// SPDX-License-Identifier: Apache-2.0
// Tests on a real Gitea server. KBASE_TEST_GITEA_URL is its URL, KBASE_TEST_GITEA_USER a user with public code in C++,
// Python, Go and shell, KBASE_TEST_GITEA_TOKEN a token of that user.
#include <gmock/gmock.h>

#include <cstdlib>
#include <numeric>

#include "adapters/gitea/gitea_code_host.hpp"
#include "adapters/system/system_crypto.hpp"
#include "tests/adapters/code_host/code_host_fixture.hpp"

namespace kbase::tests {
namespace {

using testing::Contains;
using testing::Each;
using testing::HasSubstr;
using testing::Key;
using testing::Not;
using testing::SizeIs;
using testing::StartsWith;
using testing::UnorderedElementsAre;

std::string variable(const char* name) {
  const char* const value = std::getenv(name);
  return value != nullptr ? value : "";
}

class GiteaServer : public testing::Test {
 protected:
  void SetUp() override {
    if (options_.base_url.empty()) GTEST_SKIP() << "KBASE_TEST_GITEA_URL names no Gitea";
    options_.token = variable("KBASE_TEST_GITEA_TOKEN");
    client_ = curl_.client(options_.base_url);
  }

  Result<ports::LookUp> look_up(const std::string& username, std::string_view validator = {}) {
    recorder_ = UserRecorder();
    auto host = gitea::GiteaCodeHost::open(client_.get(), clock_, options_);
    if (!host) return host.error();
    EXPECT_TRUE((*host)->is_username(username));
    EXPECT_TRUE(succeeded((*host)->health(curl_.call)));
    return (*host)->look_up(curl_.call, username, validator, recorder_);
  }

  /// Creates a private repository with the token, unless it exists.
  void make_private_repository() {
    const std::string authorization = "Bearer " + options_.token;
    const std::array<ports::HttpField, 2> fields{
        {{"Authorization", authorization}, {"Content-Type", "application/json"}}};
    const std::string url = options_.base_url + "/api/v1/user/repos";
    ports::HttpRequest request;
    request.method = "POST";
    request.url = url;
    request.fields = fields;
    request.body = R"({"name": "hidden", "private": true, "auto_init": true})";
    const Fetched made = curl_.fetch(*client_, request);
    EXPECT_TRUE(made.status == 201 || made.status == 409) << made.status << made.body;
  }

  CurlFixture curl_;
  system::SystemClock clock_;
  code_host::Options options_{variable("KBASE_TEST_GITEA_URL"), {}, 20, 100};
  const std::string user_ = variable("KBASE_TEST_GITEA_USER");
  std::unique_ptr<ports::HttpClient> client_;
  UserRecorder recorder_;
};

TEST_F(GiteaServer, ReturnsAUserWithCodeInFourLanguages) {
  options_.token.clear();
  ASSERT_TRUE(succeeded(look_up(user_)));
  EXPECT_THAT(recorder_.profile_row, StartsWith(user_ + " "));
  EXPECT_THAT(recorder_.repository_rows, SizeIs(2));
  EXPECT_THAT(recorder_.repository_rows, Each(HasSubstr("fork=no archived=no created=20")));
  EXPECT_THAT(recorder_.languages, UnorderedElementsAre(Key("C++"), Key("Python"), Key("Go"), Key("Shell")));
  const double all = std::accumulate(recorder_.languages.begin(), recorder_.languages.end(), 0.0,
                                     [](double sum, const auto& language) { return sum + language.second; });
  EXPECT_NEAR(all, 1.0, 1e-9);
  EXPECT_THAT(recorder_.period, HasSubstr("heatmap"));
}

TEST_F(GiteaServer, ReturnsTheSameWithATokenThatSeesPrivateRepositories) {
  make_private_repository();
  ASSERT_TRUE(succeeded(look_up(user_)));
  const UserRecorder with_token = recorder_;
  options_.token.clear();
  ASSERT_TRUE(succeeded(look_up(user_)));
  EXPECT_EQ(with_token.repository_rows, recorder_.repository_rows);
  EXPECT_EQ(with_token.profile_row, recorder_.profile_row);
  EXPECT_EQ(with_token.days, recorder_.days);
  EXPECT_EQ(with_token.languages, recorder_.languages);
  EXPECT_THAT(recorder_.repository_rows, Not(Contains(HasSubstr("hidden"))));
}

TEST_F(GiteaServer, DetectsUnchangedData) {
  const auto first = look_up(user_);
  ASSERT_TRUE(succeeded(first));
  const auto second = look_up(user_, first->validator);
  ASSERT_TRUE(succeeded(second));
  EXPECT_EQ(second->outcome, ports::LookUp::Outcome::Unchanged);
}

TEST_F(GiteaServer, DoesNotFindAnUnknownUser) { EXPECT_TRUE(failed_for(look_up("no-such-user"), ErrorCode::NotFound)); }

TEST_F(GiteaServer, ReportsARejectedToken) {
  options_.token = "0123456789012345678901234567890123456789";
  const auto host = gitea::GiteaCodeHost::open(client_.get(), clock_, options_);
  ASSERT_TRUE(succeeded(host));
  EXPECT_TRUE(failed_for((*host)->look_up(curl_.call, user_, {}, recorder_), ErrorCode::BadUpstream,
                         "refuses codehost.config.token"));
}

}  // namespace
}  // namespace kbase::tests
