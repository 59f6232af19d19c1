// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>

#include "app/plugin_host/open_ports.hpp"
#include "tests/plugins/fake_tables.hpp"
#include "tests/support/outcome.hpp"

namespace kbase::tests {
namespace {

using model::ErrorCode;
using model::Visit;

constexpr std::int32_t kToday = 20'000;

kb_profile profile() {
  auto lent_profile = sized<kb_profile>();
  lent_profile.username = lent("ada");
  lent_profile.bio = {"", 0};
  lent_profile.created = lent("2011-01-25T18:44:36Z");
  lent_profile.followers = 7;
  lent_profile.following = lent_profile.public_repositories = KB_UNKNOWN_NUMBER;
  return lent_profile;
}

kb_repository repository() {
  auto lent_repository = sized<kb_repository>();
  lent_repository.name = lent("engine");
  lent_repository.full_name = lent("ada/engine");
  lent_repository.is_fork = -1;
  lent_repository.is_archived = 1;
  lent_repository.stars = 3;
  lent_repository.forks = KB_UNKNOWN_NUMBER;
  return lent_repository;
}

kb_contributions contributions() {
  auto lent_period = sized<kb_contributions>();
  lent_period.first_day = kToday - 9;
  lent_period.last_day = kToday;
  lent_period.source = lent("calendar");
  return lent_period;
}

/// Records the parts it receives, one letter for each.
class Listener final : public ports::UserVisitor {
 public:
  Visit profile(const ports::UserProfile& told) override {
    username = told.username;
    has_name = told.name.has_value();
    has_bio = told.bio.has_value();
    followers = told.followers;
    following = told.following;
    created = told.created;
    return note('p');
  }
  Visit repository(const ports::Repository& told) override {
    is_fork = told.is_fork;
    is_archived = told.is_archived;
    topics = told.topics ? static_cast<int>(told.topics->size()) : -1;
    return note('r');
  }
  Visit contributions(const ports::Contributions&) override { return note('c'); }
  Visit contribution_day(model::Day, std::uint64_t) override { return note('d'); }
  Visit language(std::string_view, double) override { return note('l'); }

  Visit note(char part) {
    parts += part;
    return part == stop_at ? Visit::Stop : Visit::Continue;
  }

  std::string parts, username;
  char stop_at = 0;
  bool has_name = true, has_bio = false;
  std::optional<std::uint64_t> followers, following;
  std::optional<model::Instant> created;
  std::optional<bool> is_fork, is_archived;
  int topics = -1;
};

class CodeHostProxy : public testing::Test {
 protected:
  /// Returns the lookup result of a plugin that calls `tell` and returns KB_OK.
  template <class Tell>
  model::Result<ports::LookUp> tells(Tell tell) {
    fake_.look_up = [tell](kb_call*, const kb_code_host_sink& sink, std::int32_t&) {
      const kb_profile user = profile();
      sink.profile(sink.data, &user);
      tell(sink);
      return KB_OK;
    };
    return look_up();
  }
  model::Result<ports::LookUp> look_up() {
    listener_.parts.clear();
    return code_host_->look_up(call_, "ada", validator_, listener_);
  }

  HostWorld world_;
  FakeCodeHost fake_;
  std::unique_ptr<ports::CodeHost> code_host_ = plugin_host::open_port<ports::CodeHost>(fake_.table, world_.host, "{}").value();
  ports::Call call_;
  std::string validator_;
  Listener listener_;
};

TEST_F(CodeHostProxy, AsksWhetherAUsernameCouldBeOne) {
  EXPECT_TRUE(code_host_->is_username("ada"));
  EXPECT_FALSE(code_host_->is_username("0123456789"));
}

TEST_F(CodeHostProxy, TellsWhatIsGivenAndWhatIsNot) {
  const auto told = tells([](const kb_code_host_sink& sink) {
    kb_repository row = repository();
    const kb_view topic = lent("math");
    row.topics = &topic;
    sink.repository(sink.data, &row);
    row.topic_count = 1;
    sink.repository(sink.data, &row);
    const kb_contributions period = contributions();
    sink.contributions(sink.data, &period);
    sink.contribution_day(sink.data, kToday - 9, 1);
    sink.contribution_day(sink.data, kToday, 2);
    sink.language(sink.data, lent("C++"), 0.25);
    sink.language(sink.data, lent("Rust"), 0.75);
    sink.validator(sink.data, lent("etag"));
  });
  ASSERT_TRUE(succeeded(told));
  EXPECT_EQ(told->outcome, ports::LookUp::Outcome::Updated);
  EXPECT_EQ(told->validator, "etag");
  EXPECT_EQ(listener_.parts, "prrcddll");
  EXPECT_EQ(listener_.username, "ada");
  EXPECT_FALSE(listener_.has_name) << "a null text is one that the service does not give";
  EXPECT_TRUE(listener_.has_bio) << "an empty one is given";
  EXPECT_EQ(listener_.followers, 7u);
  EXPECT_EQ(listener_.following, std::nullopt);
  EXPECT_EQ(listener_.created, model::parse_instant("2011-01-25T18:44:36Z"));
  EXPECT_EQ(listener_.is_fork, std::nullopt);
  EXPECT_EQ(listener_.is_archived, true);
  EXPECT_EQ(listener_.topics, 1);
}

TEST_F(CodeHostProxy, HandsOverTheValidatorAndHearsThatNothingChanged) {
  validator_ = "etag";
  fake_.look_up = [](kb_call*, const kb_code_host_sink&, std::int32_t& unchanged) {
    unchanged = 1;
    return KB_OK;
  };
  const auto told = look_up();
  ASSERT_TRUE(succeeded(told));
  EXPECT_EQ(told->outcome, ports::LookUp::Outcome::Unchanged);
  EXPECT_EQ(fake_.asked, "ada etag");
  validator_.clear();
  EXPECT_TRUE(failed(look_up(), ErrorCode::Internal)) << "there was no validator";
}

TEST_F(CodeHostProxy, FindsNobody) {
  fake_.look_up = [](kb_call*, const kb_code_host_sink&, std::int32_t&) { return KB_NOT_FOUND; };
  EXPECT_TRUE(failed(look_up(), ErrorCode::NotFound));
}

TEST_F(CodeHostProxy, HandsOnWhyALookUpFails) {
  fake_.look_up = [](kb_call* call, const kb_code_host_sink&, std::int32_t&) {
    auto why = sized<kb_explanation>();
    why.retry_after_ms = 30'000;
    why.message = lent("Its rate limit is used up.");
    call->host->explain(call, &why);
    return KB_UNAVAILABLE;
  };
  const auto told = look_up();
  ASSERT_TRUE(failed(told, ErrorCode::Unavailable));
  EXPECT_EQ(told.error().retry_after, std::chrono::seconds(30));
}

TEST_F(CodeHostProxy, StopsWhereTheVisitorDoes) {
  listener_.stop_at = 'p';
  fake_.look_up = [](kb_call*, const kb_code_host_sink& sink, std::int32_t&) {
    const kb_profile user = profile();
    EXPECT_NE(sink.profile(sink.data, &user), 0);
    return KB_STOPPED;
  };
  EXPECT_TRUE(succeeded(look_up()));
}

TEST_F(CodeHostProxy, RefusesPartsOutOfOrder) {
  const auto language = [](const kb_code_host_sink& sink) { sink.language(sink.data, lent("C++"), 1); };
  const auto project = [](const kb_code_host_sink& sink) {
    const kb_repository row = repository();
    sink.repository(sink.data, &row);
  };
  const auto period = [](const kb_code_host_sink& sink) {
    const kb_contributions row = contributions();
    sink.contributions(sink.data, &row);
  };
  const auto day = [](const kb_code_host_sink& sink) { sink.contribution_day(sink.data, kToday, 1); };
  const auto user = [](const kb_code_host_sink& sink) {
    const kb_profile row = profile();
    sink.profile(sink.data, &row);
  };
  const auto after = [this](auto first, auto second) {
    return tells([=](const kb_code_host_sink& sink) {
      first(sink);
      second(sink);
    });
  };
  EXPECT_TRUE(succeeded(after(project, project)));
  EXPECT_TRUE(succeeded(after(period, language)));
  EXPECT_TRUE(failed(tells(user), ErrorCode::Internal)) << "a second profile";
  EXPECT_TRUE(failed(tells(day), ErrorCode::Internal)) << "a day of no period";
  EXPECT_TRUE(failed(after(language, project), ErrorCode::Internal));
  EXPECT_TRUE(failed(after(period, project), ErrorCode::Internal));
  EXPECT_TRUE(failed(after(period, period), ErrorCode::Internal));
  fake_.look_up = [](kb_call*, const kb_code_host_sink&, std::int32_t&) { return KB_OK; };
  EXPECT_TRUE(failed(look_up(), ErrorCode::Internal)) << "KB_OK without a profile";
}

TEST_F(CodeHostProxy, RefusesWhatIsNoProfile) {
  const auto with = [this](auto change) {
    fake_.look_up = [change](kb_call*, const kb_code_host_sink& sink, std::int32_t&) {
      kb_profile row = profile();
      change(row);
      sink.profile(sink.data, &row);
      return KB_OK;
    };
    return look_up();
  };
  EXPECT_TRUE(succeeded(with([](kb_profile&) {})));
  EXPECT_TRUE(failed(with([](kb_profile& row) { row.username = {}; }), ErrorCode::Internal));
  EXPECT_TRUE(failed(with([](kb_profile& row) { row.name = kNowhere; }), ErrorCode::Internal));
  EXPECT_TRUE(failed(with([](kb_profile& row) { row.name = lent("\xff"); }), ErrorCode::Internal));
  EXPECT_TRUE(failed(with([](kb_profile& row) { row.created = lent("yesterday"); }), ErrorCode::Internal));
  EXPECT_TRUE(failed(with([](kb_profile& row) { row.struct_size = 16; }), ErrorCode::Internal));
}

TEST_F(CodeHostProxy, RefusesContributionsThatAreNone) {
  const auto on = [this](std::int32_t first, std::int32_t last, std::initializer_list<std::int32_t> days) {
    return tells([=, told = std::vector<std::int32_t>(days)](const kb_code_host_sink& sink) {
      kb_contributions period = contributions();
      period.first_day = first;
      period.last_day = last;
      sink.contributions(sink.data, &period);
      for (const std::int32_t day : told) sink.contribution_day(sink.data, day, 1);
    });
  };
  EXPECT_TRUE(succeeded(on(1, 732, {1, 2, 732})));
  EXPECT_TRUE(failed(on(1, 733, {}), ErrorCode::Internal)) << "too long";
  EXPECT_TRUE(failed(on(2, 1, {}), ErrorCode::Internal)) << "ends before it begins";
  EXPECT_TRUE(failed(on(1, 9, {0}), ErrorCode::Internal)) << "before the period";
  EXPECT_TRUE(failed(on(1, 9, {10}), ErrorCode::Internal)) << "after it";
  EXPECT_TRUE(failed(on(1, 9, {3, 3}), ErrorCode::Internal)) << "twice";
  EXPECT_TRUE(failed(on(INT32_MIN, INT32_MAX, {}), ErrorCode::Internal));
}

TEST_F(CodeHostProxy, RefusesSharesThatAreNone) {
  const auto shares = [this](std::initializer_list<double> wanted) {
    return tells([told = std::vector<double>(wanted)](const kb_code_host_sink& sink) {
      const std::string names = "ABCDEF";
      for (std::size_t i = 0; i < told.size(); ++i)
        sink.language(sink.data, lent(std::string_view(names).substr(i, 1)), told[i]);
    });
  };
  EXPECT_TRUE(succeeded(shares({})));
  EXPECT_TRUE(succeeded(shares({0.333, 0.333, 0.3335, 0})));
  EXPECT_TRUE(failed(shares({0.5}), ErrorCode::Internal));
  EXPECT_TRUE(failed(shares({1.5, -0.5}), ErrorCode::Internal));
  EXPECT_TRUE(failed(shares({std::nan("")}), ErrorCode::Internal));
  EXPECT_TRUE(failed(tells([](const kb_code_host_sink& sink) {
                       sink.language(sink.data, lent("C"), 0.5);
                       sink.language(sink.data, lent("C"), 0.5);
                     }),
                     ErrorCode::Internal))
      << "one language twice";
}

TEST_F(CodeHostProxy, BoundsWhatALookUpComesTo) {
  const std::string large(1U << 20U, 'x');
  EXPECT_TRUE(failed(tells([&](const kb_code_host_sink& sink) {
                       kb_repository row = repository();
                       row.description = lent(large);
                       for (int i = 0; i < 9; ++i) sink.repository(sink.data, &row);
                     }),
                     ErrorCode::Internal));
  EXPECT_TRUE(failed(tells([&](const kb_code_host_sink& sink) { sink.validator(sink.data, lent(large)); }),
                     ErrorCode::Internal));
}

}  // namespace
}  // namespace kbase::tests
