// SPDX-License-Identifier: Apache-2.0
#include "domain/usecases/look_up_user.hpp"

#include <gtest/gtest.h>

#include "adapters/memory/cache.hpp"
#include "adapters/memory/rate_limit_store.hpp"
#include "plugins/conformance/fixtures.hpp"
#include "tests/support/mocks/driven/code_host.hpp"
#include "tests/support/outcome.hpp"

namespace kbase::tests {
namespace {

using namespace std::chrono_literals;
using ports::LookUp;
using trompeloeil::_;

/// Writes only the name.
class NameWriter final : public ports::UserWriter {
 public:
  Visit profile(const ports::UserProfile& profile) override {
    name_ = profile.name.value_or("");
    return Visit::Continue;
  }
  Visit repository(const ports::Repository&) override { return Visit::Continue; }
  Visit contributions(const ports::Contributions&) override { return Visit::Continue; }
  Visit contribution_day(model::Day, std::uint64_t) override { return Visit::Continue; }
  Visit language(std::string_view, double) override { return Visit::Continue; }
  std::string finish() override { return name_; }

 private:
  std::string name_;
};

std::unique_ptr<ports::UserWriter> make_writer() { return std::make_unique<NameWriter>(); }

LookUp visit_user(ports::UserVisitor& visitor, std::string_view name, std::string validator = {}) {
  ports::UserProfile profile;
  profile.username = "ada";
  profile.name = name;
  visitor.profile(profile);
  return {LookUp::Outcome::Updated, std::move(validator)};
}

constexpr ports::ExternalClient kKeyed{model::ClientId{1}, true};
constexpr ports::ExternalClient kKeyless{model::ClientId{2}, false};

class LookUpUser : public testing::Test {
 protected:
  Result<ports::UserReply> look_up(const ports::ExternalClient& client = kKeyed, std::string_view username = "ada") {
    return users().look_up(call_, client, username);
  }
  usecases::LookUpUser users() {
    return usecases::LookUpUser({&host_, has_cache_ ? &cache_ : nullptr, rate_limiter_, make_writer, clock_,
                                 [this](ports::LookUpOutcome outcome) { outcomes_.push_back(outcome); }},
                                options_);
  }
  /// Looks up Ada at the service, so that the result is cached.
  void know_ada() {
    REQUIRE_CALL(host_, look_up(_, "ada", "", _)).RETURN(visit_user(_4, "Ada", "etag"));
    ASSERT_TRUE(succeeded(look_up()));
  }

  conformance::ManualClock clock_;
  MockCodeHost host_;
  memory::MemoryCache cache_{clock_};
  memory::MemoryRateLimitStore rate_limiter_{clock_};
  std::vector<ports::LookUpOutcome> outcomes_;
  usecases::LookUpUser::Options options_{.cache_prefix = "users/"};
  bool has_cache_ = true;
  ports::Call call_;
  std::unique_ptr<trompeloeil::expectation> takes_names_ = NAMED_ALLOW_CALL(host_, is_username(_)).RETURN(_1 != "-");
};

TEST_F(LookUpUser, IsUnavailableIfTheServiceIsDisabled) {
  usecases::LookUpUser disabled({nullptr, &cache_, rate_limiter_, make_writer, clock_}, options_);
  const auto reply = disabled.look_up(call_, kKeyed, "ada");
  EXPECT_TRUE(failed(reply, ErrorCode::Unavailable));
  EXPECT_EQ(reply.error().retry_after, std::chrono::hours(1));
  EXPECT_FALSE(disabled.find_cached("ada"));
}

TEST_F(LookUpUser, SendsNoRequestForAnInvalidUserName) {
  FORBID_CALL(host_, look_up(_, _, _, _));
  EXPECT_TRUE(failed(look_up(kKeyed, "-"), ErrorCode::NotFound));
  EXPECT_TRUE(failed(look_up(kKeyed, ""), ErrorCode::NotFound));
  EXPECT_TRUE(failed(look_up(kKeyed, std::string(1000, 'a')), ErrorCode::NotFound));
}

TEST_F(LookUpUser, ReturnsAFreshCacheEntryWithItsAge) {
  know_ada();
  FORBID_CALL(host_, look_up(_, _, _, _));
  clock_.advance(599'999ms);
  const auto again = look_up();
  ASSERT_TRUE(succeeded(again));
  EXPECT_EQ(again->text, "Ada");
  EXPECT_EQ(again->age, 599s);
  const auto kept = users().find_cached("ada");
  ASSERT_TRUE(kept);
  EXPECT_EQ(kept->text, "Ada");
  EXPECT_EQ(kept->age, 599s);
}

TEST_F(LookUpUser, FindsNoCachedUserThatIsNotFresh) {
  EXPECT_FALSE(users().find_cached("ada"));
  know_ada();
  EXPECT_FALSE(users().find_cached("-"));
  clock_.advance(10min);
  EXPECT_FALSE(users().find_cached("ada"));
}

TEST_F(LookUpUser, RevalidatesAStaleEntryAndRefreshesItIfUnchanged) {
  know_ada();
  clock_.advance(10min);
  {
    REQUIRE_CALL(host_, look_up(_, "ada", "etag", _)).RETURN(LookUp{LookUp::Outcome::Unchanged, {}});
    const auto confirmed = look_up();
    ASSERT_TRUE(succeeded(confirmed));
    EXPECT_EQ(confirmed->text, "Ada");
    EXPECT_EQ(confirmed->age, std::nullopt);
  }
  clock_.advance(9min);
  EXPECT_EQ(look_up()->age, 540s) << "the age counts from the revalidation";
  clock_.advance(1min);
  REQUIRE_CALL(host_, look_up(_, "ada", "etag", _)).RETURN(visit_user(_4, "Countess", "etag2"));
  EXPECT_EQ(look_up()->text, "Countess") << "the validator was kept";
}

TEST_F(LookUpUser, CachesThatAUserDoesNotExist) {
  const Error unknown_user{ErrorCode::NotFound, "Unknown user."};
  {
    REQUIRE_CALL(host_, look_up(_, "ada", "", _)).RETURN(unknown_user);
    EXPECT_TRUE(failed(look_up(), ErrorCode::NotFound));
  }
  clock_.advance(59s);
  EXPECT_TRUE(failed(look_up(), ErrorCode::NotFound)) << "no request was sent";
  EXPECT_FALSE(users().find_cached("ada"));
  clock_.advance(1s);
  REQUIRE_CALL(host_, look_up(_, "ada", "", _)).RETURN(visit_user(_4, "Ada"));
  EXPECT_TRUE(succeeded(look_up()));
}

TEST_F(LookUpUser, RemovesADeletedUserFromTheCache) {
  know_ada();
  clock_.advance(10min);
  REQUIRE_CALL(host_, look_up(_, _, _, _)).RETURN(Error{ErrorCode::NotFound, "Gone."});
  EXPECT_TRUE(failed(look_up(), ErrorCode::NotFound));
  EXPECT_TRUE(failed(look_up(), ErrorCode::NotFound));
}

TEST_F(LookUpUser, ServesAStaleEntryWhileTheServiceIsUnavailable) {
  know_ada();
  clock_.advance(23h);
  for (const ErrorCode code : {ErrorCode::Unavailable, ErrorCode::Deadline, ErrorCode::BadUpstream}) {
    REQUIRE_CALL(host_, look_up(_, _, _, _)).RETURN(error_of(code));
    const auto old = look_up();
    ASSERT_TRUE(succeeded(old));
    EXPECT_EQ(old->text, "Ada");
    EXPECT_EQ(old->age, 23h);
  }
  clock_.advance(1h);
  REQUIRE_CALL(host_, look_up(_, _, _, _)).RETURN(error_of(ErrorCode::BadUpstream));
  EXPECT_TRUE(failed(look_up(), ErrorCode::BadUpstream));
}

TEST_F(LookUpUser, ReturnsErrorsThatTheServiceDidNotCause) {
  know_ada();
  clock_.advance(10min);
  for (const ErrorCode code : {ErrorCode::Cancelled, ErrorCode::Internal, ErrorCode::NoMemory}) {
    REQUIRE_CALL(host_, look_up(_, _, _, _)).RETURN(error_of(code));
    EXPECT_TRUE(failed(look_up(), code));
  }
}

TEST_F(LookUpUser, LimitsAClientWithoutAKeyToThreeLookUpsAMinute) {
  ALLOW_CALL(host_, look_up(_, _, _, _)).RETURN(visit_user(_4, "Somebody"));
  for (const char* username : {"a", "b", "c"}) EXPECT_TRUE(succeeded(look_up(kKeyless, username)));
  clock_.advance(20s);
  const auto refused = look_up(kKeyless, "d");
  ASSERT_TRUE(failed(refused, ErrorCode::Unavailable));
  EXPECT_EQ(refused.error().retry_after, 40s);
  EXPECT_TRUE(succeeded(look_up(kKeyless, "a"))) << "cached answers are not counted";
  EXPECT_TRUE(succeeded(look_up({model::ClientId{3}, false}, "d"))) << "another client";
  EXPECT_TRUE(succeeded(look_up(kKeyed, "e")));
  clock_.advance(40s);
  EXPECT_TRUE(succeeded(look_up(kKeyless, "f")));
}

TEST_F(LookUpUser, LimitsAllClientsToThirtyLookUpsAMinute) {
  ALLOW_CALL(host_, look_up(_, _, _, _)).RETURN(visit_user(_4, "Somebody"));
  for (int i = 0; i < 30; ++i) EXPECT_TRUE(succeeded(look_up(kKeyed, "user" + std::to_string(i))));
  const auto refused = look_up(kKeyed, "one more");
  ASSERT_TRUE(failed(refused, ErrorCode::Unavailable));
  EXPECT_EQ(refused.error().retry_after, 60s);
  options_.fresh_for = 0ms;
  EXPECT_EQ(look_up(kKeyed, "user0")->text, "Somebody") << "the cached answer is returned";
  options_.cold_per_minute = 0;
  EXPECT_TRUE(succeeded(look_up(kKeyed, "one more"))) << "no bound";
}

TEST_F(LookUpUser, SendsNoRequestAfterTheDeadline) {
  know_ada();
  clock_.advance(10min);
  call_.deadline = clock_.steady();
  FORBID_CALL(host_, look_up(_, _, _, _));
  EXPECT_TRUE(failed(look_up(kKeyed, "bob"), ErrorCode::Deadline));
  EXPECT_EQ(look_up()->age, 600s) << "the cached answer is returned";
}

TEST_F(LookUpUser, CountsTheOutcomeOfEachLookUp) {
  using Outcome = ports::LookUpOutcome;
  know_ada();
  EXPECT_TRUE(users().find_cached("ada"));
  EXPECT_TRUE(succeeded(look_up()));
  EXPECT_TRUE(failed(look_up(kKeyed, "-"), ErrorCode::NotFound));
  clock_.advance(10min);
  {
    REQUIRE_CALL(host_, look_up(_, "ada", "etag", _)).RETURN(error_of(ErrorCode::Unavailable));
    EXPECT_TRUE(succeeded(look_up()));
  }
  {
    REQUIRE_CALL(host_, look_up(_, "ada", "etag", _)).RETURN(LookUp{LookUp::Outcome::Unchanged, {}});
    EXPECT_TRUE(succeeded(look_up()));
  }
  for (const ErrorCode code : {ErrorCode::NotFound, ErrorCode::Unavailable, ErrorCode::Cancelled}) {
    REQUIRE_CALL(host_, look_up(_, "bob", "", _)).RETURN(error_of(code));
    EXPECT_TRUE(failed(look_up(kKeyless, "bob"), code));
    clock_.advance(1min);
  }
  options_.cold_per_minute = 1;
  ALLOW_CALL(host_, look_up(_, "carol", _, _)).RETURN(visit_user(_4, "Carol"));
  EXPECT_TRUE(succeeded(look_up(kKeyed, "carol")));
  EXPECT_TRUE(failed(look_up(kKeyed, "dave"), ErrorCode::Unavailable));
  EXPECT_EQ(outcomes_, (std::vector<Outcome>{Outcome::Fetched, Outcome::Cached, Outcome::Cached, Outcome::Unknown,
                                             Outcome::Stale, Outcome::Confirmed, Outcome::Unknown, Outcome::Failed,
                                             Outcome::Cancelled, Outcome::Fetched, Outcome::RateLimited}));
}

TEST_F(LookUpUser, WorksWithoutACache) {
  has_cache_ = false;
  EXPECT_FALSE(users().find_cached("ada"));
  REQUIRE_CALL(host_, look_up(_, "ada", "", _)).TIMES(2).RETURN(visit_user(_4, "Ada", "etag"));
  for (int i = 0; i < 2; ++i) EXPECT_EQ(look_up()->age, std::nullopt);
}

TEST_F(LookUpUser, IgnoresAnInvalidCacheEntry) {
  for (const std::string& value :
       {std::string(), std::string("u"), std::string("x2345678901234"),
        std::string("u\0\0\0\0\0\0\0\0\xff\xff\xff\xff", 13), std::string("u\x80\0\0\0\0\0\0\0\0\0\0\1v", 14)}) {
    ASSERT_TRUE(succeeded(cache_.put(call_, "users/ada", value, 1h)));
    REQUIRE_CALL(host_, look_up(_, "ada", "", _)).RETURN(visit_user(_4, "Ada"));
    EXPECT_TRUE(succeeded(look_up()));
  }
}

TEST_F(LookUpUser, RequestsAgainIfTheClockStepsBack) {
  know_ada();
  clock_.set(clock_.now() - 1h);
  EXPECT_FALSE(users().find_cached("ada"));
  REQUIRE_CALL(host_, look_up(_, _, _, _)).RETURN(error_of(ErrorCode::Unavailable));
  EXPECT_EQ(look_up()->age, 0s);
}

}  // namespace
}  // namespace kbase::tests
