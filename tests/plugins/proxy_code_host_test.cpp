// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>

#include "app/plugin_host/host_table.hpp"
#include "tests/plugins/fake_tables.hpp"
#include "tests/support/outcome.hpp"

namespace kbase::tests {
namespace {

constexpr std::int32_t kToday = 20'000;

kb_profile profile() {
  auto row = sized<kb_profile>();
  row.username = to_view("ada");
  row.bio = {"", 0};
  row.created = to_view("2011-01-25T18:44:36Z");
  row.followers = 7;
  row.following = row.public_repositories = KB_UNKNOWN_NUMBER;
  return row;
}

kb_repository repository() {
  auto row = sized<kb_repository>();
  row.name = to_view("engine");
  row.full_name = to_view("ada/engine");
  row.is_fork = -1;
  row.is_archived = 1;
  row.stars = 3;
  row.forks = KB_UNKNOWN_NUMBER;
  return row;
}

kb_contributions contributions() {
  auto row = sized<kb_contributions>();
  row.first_day = kToday - 9;
  row.last_day = kToday;
  row.source = to_view("calendar");
  return row;
}

/// Records the parts it receives, one letter for each.
class Listener final : public ports::UserVisitor {
 public:
  Visit profile(const ports::UserProfile& result) override {
    username = result.username;
    has_name = result.name.has_value();
    has_bio = result.bio.has_value();
    followers = result.followers;
    following = result.following;
    created = result.created;
    return note('p');
  }
  Visit repository(const ports::Repository& result) override {
    is_fork = result.is_fork;
    is_archived = result.is_archived;
    topics = result.topics ? static_cast<int>(result.topics->size()) : -1;
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
  /// Returns the lookup result of a plugin that calls `pass` and returns KB_OK.
  template <class Pass> Result<ports::LookUp> look_up_with(Pass pass) {
    fake_.look_up = [pass](kb_call*, const kb_code_host_sink& sink, std::int32_t&) {
      const kb_profile user = profile();
      sink.profile(sink.data, &user);
      pass(sink);
      return KB_OK;
    };
    return look_up();
  }
  Result<ports::LookUp> look_up() {
    listener_.parts.clear();
    return code_host_->look_up(call_, "ada", validator_, listener_);
  }

  HostFixture fixture_;
  FakeCodeHost fake_;
  std::unique_ptr<ports::CodeHost> code_host_ =
      plugin_host::open_port<ports::CodeHost>(fake_.table, fixture_.host, "{}").value();
  ports::Call call_;
  std::string validator_;
  Listener listener_;
};

TEST_F(CodeHostProxy, ChecksWhetherAUsernameIsPossible) {
  EXPECT_TRUE(code_host_->is_username("ada"));
  EXPECT_FALSE(code_host_->is_username("0123456789"));
}

TEST_F(CodeHostProxy, ReturnsPresentAndAbsentMembers) {
  const auto result = look_up_with([](const kb_code_host_sink& sink) {
    kb_repository row = repository();
    const kb_view topic = to_view("math");
    row.topics = &topic;
    sink.repository(sink.data, &row);
    row.topic_count = 1;
    sink.repository(sink.data, &row);
    const kb_contributions period = contributions();
    sink.contributions(sink.data, &period);
    sink.contribution_day(sink.data, kToday - 9, 1);
    sink.contribution_day(sink.data, kToday, 2);
    sink.language(sink.data, to_view("C++"), 0.25);
    sink.language(sink.data, to_view("Rust"), 0.75);
    sink.validator(sink.data, to_view("etag"));
  });
  ASSERT_TRUE(succeeded(result));
  EXPECT_EQ(result->outcome, ports::LookUp::Outcome::Updated);
  EXPECT_EQ(result->validator, "etag");
  EXPECT_EQ(listener_.parts, "prrcddll");
  EXPECT_EQ(listener_.username, "ada");
  EXPECT_FALSE(listener_.has_name) << "a null text is absent";
  EXPECT_TRUE(listener_.has_bio) << "an empty text is present";
  EXPECT_EQ(listener_.followers, 7u);
  EXPECT_EQ(listener_.following, std::nullopt);
  EXPECT_EQ(listener_.created, model::parse_instant("2011-01-25T18:44:36Z"));
  EXPECT_EQ(listener_.is_fork, std::nullopt);
  EXPECT_EQ(listener_.is_archived, true);
  EXPECT_EQ(listener_.topics, 1);
}

TEST_F(CodeHostProxy, PassesTheValidatorAndReturnsUnchanged) {
  validator_ = "etag";
  fake_.look_up = [](kb_call*, const kb_code_host_sink&, std::int32_t& unchanged) {
    unchanged = 1;
    return KB_OK;
  };
  const auto result = look_up();
  ASSERT_TRUE(succeeded(result));
  EXPECT_EQ(result->outcome, ports::LookUp::Outcome::Unchanged);
  EXPECT_EQ(fake_.arguments, "ada etag");
  validator_.clear();
  EXPECT_TRUE(failed(look_up(), ErrorCode::Internal)) << "there was no validator";
}

TEST_F(CodeHostProxy, ReturnsNotFound) {
  fake_.look_up = [](kb_call*, const kb_code_host_sink&, std::int32_t&) { return KB_NOT_FOUND; };
  EXPECT_TRUE(failed(look_up(), ErrorCode::NotFound));
}

TEST_F(CodeHostProxy, ReturnsTheReasonOfAFailedLookup) {
  fake_.look_up = [](kb_call* call, const kb_code_host_sink&, std::int32_t&) {
    auto why = sized<kb_explanation>();
    why.retry_after_ms = 30'000;
    why.message = to_view("Its rate limit is used up.");
    call->host->explain(call, &why);
    return KB_UNAVAILABLE;
  };
  const auto result = look_up();
  ASSERT_TRUE(failed(result, ErrorCode::Unavailable));
  EXPECT_EQ(result.error().retry_after, std::chrono::seconds(30));
}

TEST_F(CodeHostProxy, StopsWhenTheVisitorStops) {
  listener_.stop_at = 'p';
  fake_.look_up = [](kb_call*, const kb_code_host_sink& sink, std::int32_t&) {
    const kb_profile user = profile();
    EXPECT_NE(sink.profile(sink.data, &user), 0);
    return KB_STOPPED;
  };
  EXPECT_TRUE(succeeded(look_up()));
}

TEST_F(CodeHostProxy, RejectsPartsOutOfOrder) {
  const auto language = [](const kb_code_host_sink& sink) { sink.language(sink.data, to_view("C++"), 1); };
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
    return look_up_with([=](const kb_code_host_sink& sink) {
      first(sink);
      second(sink);
    });
  };
  EXPECT_TRUE(succeeded(after(project, project)));
  EXPECT_TRUE(succeeded(after(period, language)));
  EXPECT_TRUE(failed(look_up_with(user), ErrorCode::Internal)) << "a second profile";
  EXPECT_TRUE(failed(look_up_with(day), ErrorCode::Internal)) << "a day without a period";
  EXPECT_TRUE(failed(after(language, project), ErrorCode::Internal));
  EXPECT_TRUE(failed(after(period, project), ErrorCode::Internal));
  EXPECT_TRUE(failed(after(period, period), ErrorCode::Internal));
  fake_.look_up = [](kb_call*, const kb_code_host_sink&, std::int32_t&) { return KB_OK; };
  EXPECT_TRUE(failed(look_up(), ErrorCode::Internal)) << "KB_OK without a profile";
}

TEST_F(CodeHostProxy, RejectsAnInvalidProfile) {
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
  EXPECT_TRUE(failed(with([](kb_profile& row) { row.name = kInvalidView; }), ErrorCode::Internal));
  EXPECT_TRUE(failed(with([](kb_profile& row) { row.name = to_view("\xff"); }), ErrorCode::Internal));
  EXPECT_TRUE(failed(with([](kb_profile& row) { row.created = to_view("yesterday"); }), ErrorCode::Internal));
  EXPECT_TRUE(failed(with([](kb_profile& row) { row.struct_size = 16; }), ErrorCode::Internal));
}

TEST_F(CodeHostProxy, RejectsInvalidContributions) {
  const auto on = [this](std::int32_t first, std::int32_t last, std::initializer_list<std::int32_t> days) {
    return look_up_with([=, result = std::vector<std::int32_t>(days)](const kb_code_host_sink& sink) {
      kb_contributions period = contributions();
      period.first_day = first;
      period.last_day = last;
      sink.contributions(sink.data, &period);
      for (const std::int32_t day : result) sink.contribution_day(sink.data, day, 1);
    });
  };
  EXPECT_TRUE(succeeded(on(1, 732, {1, 2, 732})));
  EXPECT_TRUE(failed(on(1, 733, {}), ErrorCode::Internal)) << "too long";
  EXPECT_TRUE(failed(on(2, 1, {}), ErrorCode::Internal)) << "ends before it begins";
  EXPECT_TRUE(failed(on(1, 9, {0}), ErrorCode::Internal)) << "before the period";
  EXPECT_TRUE(failed(on(1, 9, {10}), ErrorCode::Internal)) << "after the period";
  EXPECT_TRUE(failed(on(1, 9, {3, 3}), ErrorCode::Internal)) << "twice";
  EXPECT_TRUE(failed(on(INT32_MIN, INT32_MAX, {}), ErrorCode::Internal));
}

TEST_F(CodeHostProxy, RejectsInvalidLanguageShares) {
  const auto shares = [this](std::initializer_list<double> wanted) {
    return look_up_with([result = std::vector<double>(wanted)](const kb_code_host_sink& sink) {
      const std::string names = "ABCDEF";
      for (std::size_t i = 0; i < result.size(); ++i)
        sink.language(sink.data, to_view(std::string_view(names).substr(i, 1)), result[i]);
    });
  };
  EXPECT_TRUE(succeeded(shares({})));
  EXPECT_TRUE(succeeded(shares({0.333, 0.333, 0.3335, 0})));
  EXPECT_TRUE(failed(shares({0.5}), ErrorCode::Internal));
  EXPECT_TRUE(failed(shares({1.5, -0.5}), ErrorCode::Internal));
  EXPECT_TRUE(failed(shares({std::nan("")}), ErrorCode::Internal));
  EXPECT_TRUE(failed(look_up_with([](const kb_code_host_sink& sink) {
                       sink.language(sink.data, to_view("C"), 0.5);
                       sink.language(sink.data, to_view("C"), 0.5);
                     }),
                     ErrorCode::Internal))
      << "one language twice";
}

TEST_F(CodeHostProxy, BoundsTheSizeOfALookup) {
  const std::string large(1U << 20U, 'x');
  EXPECT_TRUE(failed(look_up_with([&](const kb_code_host_sink& sink) {
                       kb_repository row = repository();
                       row.description = to_view(large);
                       for (int i = 0; i < 9; ++i) sink.repository(sink.data, &row);
                     }),
                     ErrorCode::Internal));
  EXPECT_TRUE(failed(look_up_with([&](const kb_code_host_sink& sink) { sink.validator(sink.data, to_view(large)); }),
                     ErrorCode::Internal));
}

}  // namespace
}  // namespace kbase::tests
