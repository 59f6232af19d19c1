// SPDX-License-Identifier: Apache-2.0
#include "domain/usecases/complete_prompt.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <functional>
#include <limits>
#include <map>
#include <vector>

#include "plugins/conformance/fixtures.hpp"
#include "tests/support/outcome.hpp"
#include "tests/unit/access_fixture.hpp"

namespace kbase::tests {
namespace {

using namespace std::chrono_literals;
using ports::Completion;
using ports::TokensSpent;

/// Counts days only, no windows.
class DayRateLimiter final : public ports::RateLimitStore {
 public:
  Capabilities capabilities() const override { return {true, false}; }

  Status acquire(ports::Call&, std::span<const ports::AcquireRequest* const> requests,
                 std::span<ports::Decision* const> decisions) override {
    if (is_away) return Error{ErrorCode::Unavailable, "Away.", {}, {}, 1s};
    for (std::size_t i = 0; i < requests.size(); ++i) {
      std::uint32_t& used = days[requests[i]->client_id];
      const std::uint32_t left = requests[i]->limits.per_day - std::min(requests[i]->limits.per_day, used);
      decisions[i]->allowed = requests[i]->cost <= left;
      if (decisions[i]->allowed) used += requests[i]->cost;
      decisions[i]->day.remaining = decisions[i]->allowed ? left - requests[i]->cost : left;
    }
    return {};
  }

  Status adjust(ports::Call&, const ports::AcquireRequest& request, const ports::Decision&,
                std::uint32_t used) override {
    days[request.client_id] += used - request.cost;
    return {};
  }

  Status health(ports::Call&) override { return {}; }

  /// Usage of each client, in ascending order.
  std::vector<std::uint32_t> used() const {
    std::vector<std::uint32_t> counts;
    for (const auto& [client_id, count] : days) counts.push_back(count);
    std::sort(counts.begin(), counts.end());
    return counts;
  }

  std::map<model::ClientId, std::uint32_t> days;
  bool is_away = false;
};

class ScriptedModel final : public ports::LanguageModel {
 public:
  Result<Completion> complete(ports::Call& call, const ports::Prompt& prompt, Visitor<std::string_view> text) override {
    ++calls;
    prompt_sent = prompt;
    model = prompt.model;
    deadline = call.deadline;
    return answer(call, text);
  }
  Status health(ports::Call&) override { return {}; }

  using Answer = std::function<Result<Completion>(ports::Call&, Visitor<std::string_view>)>;
  Answer answer = [](ports::Call&, Visitor<std::string_view> text) {
    text("Because.");
    return Completion{"small-1", ports::FinishReason::Stop, 3, 4};
  };
  int calls = 0;
  ports::Prompt prompt_sent;
  std::string model;
  ports::Call::SteadyTime deadline;
};

class SilentLog final : public ports::EventLog {
 public:
  void log(ports::LogLevel, std::string_view event, std::string_view,
           std::span<const ports::LogField> fields) override {
    text.append(event);
    for (const ports::LogField& field : fields)
      if (const auto* const value = std::get_if<std::string_view>(&field.value)) text.append(" ").append(*value);
  }
  std::string text;
};

class CompletePrompt : public testing::Test {
 protected:
  CompletePrompt() {
    request_.prompt = "Why?";
    client_.client_id = {1};
    client_.has_key = true;
    rules_.default_model = "small";
    rules_.max_tokens = 100;
    rules_.default_max_tokens = 10;
    rules_.max_prompt_bytes = 12;
    rules_.idle_timeout = 5s;
    rules_.stream_timeout = 60s;
    call_.deadline = clock_.steady() + 10s;
  }

  Result<ports::Completions::Outcome> complete(ports::LanguageModel* model) {
    usecases::CompletePrompt completions({model, rate_limiter_, digest_, clock_, log_}, rules_);
    return completions.complete(call_, client_, request_, [this](std::string_view piece) {
      text_.append(piece).append("|");
      return Visit::Continue;
    });
  }
  Result<ports::Completions::Outcome> complete() { return complete(&model_); }

  conformance::ManualClock clock_;
  DayRateLimiter rate_limiter_;
  ToyDigest digest_;
  SilentLog log_;
  ScriptedModel model_;
  usecases::PromptRules rules_;
  ports::Call call_;
  ports::ExternalClient client_;
  ports::CompletionRequest request_;
  std::string text_;
};

TEST_F(CompletePrompt, ReturnsTheOutputOfTheModel) {
  request_.model = "large";
  request_.max_tokens = 7;
  request_.temperature = 0.5;
  const auto outcome = complete();
  ASSERT_TRUE(succeeded(outcome));
  EXPECT_EQ(std::get<Completion>(*outcome).model, "small-1");
  EXPECT_EQ(text_, "Because.|");
  EXPECT_EQ(model_.model, "large");
  EXPECT_EQ(model_.prompt_sent.max_tokens, 7u);
  EXPECT_EQ(model_.prompt_sent.temperature, 0.5);
  EXPECT_FALSE(model_.prompt_sent.is_stream);
}

TEST_F(CompletePrompt, SetsTheDefaultsOfARequest) {
  ASSERT_TRUE(succeeded(complete()));
  EXPECT_EQ(model_.model, "small");
  EXPECT_EQ(model_.prompt_sent.max_tokens, 10u);
  EXPECT_EQ(model_.prompt_sent.temperature, std::nullopt);
}

TEST_F(CompletePrompt, NeverRequestsMoreThanTheMaximum) {
  rules_.max_tokens = 8;
  ASSERT_TRUE(succeeded(complete()));
  EXPECT_EQ(model_.prompt_sent.max_tokens, 8u);
}

TEST_F(CompletePrompt, IsUnavailableWhileNoServiceIsConfigured) {
  const auto reply = complete(nullptr);
  EXPECT_TRUE(failed(reply, ErrorCode::Unavailable));
  EXPECT_EQ(reply.error().retry_after, std::chrono::hours(1));
  request_.prompt = "";
  EXPECT_TRUE(failed(complete(nullptr), ErrorCode::InvalidArgument, "prompt")) << "the request is validated first";
}

TEST_F(CompletePrompt, RejectsAPromptThatIsEmptyOrTooLong) {
  request_.prompt = "";
  EXPECT_TRUE(failed(complete(), ErrorCode::InvalidArgument, "prompt"));
  request_.prompt = "twelve bytes";
  EXPECT_TRUE(succeeded(complete()));
  request_.prompt = "thirteen byte";
  EXPECT_TRUE(failed(complete(), ErrorCode::InvalidArgument, "prompt"));
}

TEST_F(CompletePrompt, RejectsAPromptThatIsNotValidText) {
  request_.prompt = "caf\xE9";
  EXPECT_TRUE(failed(complete(), ErrorCode::InvalidArgument, "prompt"));
}

TEST_F(CompletePrompt, AcceptsOnlyTheAllowedModels) {
  request_.model = "";
  EXPECT_TRUE(failed(complete(), ErrorCode::InvalidArgument, "model"));
  rules_.allowed_models = {"large"};
  for (const char* const allowed : {"small", "large"}) {
    request_.model = allowed;
    EXPECT_TRUE(succeeded(complete())) << allowed;
  }
  request_.model = "huge";
  EXPECT_TRUE(failed(complete(), ErrorCode::InvalidArgument, "model"));
}

TEST_F(CompletePrompt, AcceptsFrom1ToTheMaximumOfTokens) {
  for (const std::uint64_t bad : {std::uint64_t{0}, std::uint64_t{101}, std::numeric_limits<std::uint64_t>::max()}) {
    request_.max_tokens = bad;
    EXPECT_TRUE(failed(complete(), ErrorCode::InvalidArgument, "max_tokens")) << bad;
  }
  request_.max_tokens = 100;
  EXPECT_TRUE(succeeded(complete()));
}

TEST_F(CompletePrompt, AcceptsATemperatureFrom0To2) {
  for (const double good : {0.0, 0.7, 2.0}) {
    request_.temperature = good;
    EXPECT_TRUE(succeeded(complete())) << good;
  }
  using Limits = std::numeric_limits<double>;
  for (const double bad : {-0.001, 2.001, Limits::quiet_NaN(), Limits::infinity(), -Limits::infinity()}) {
    request_.temperature = bad;
    EXPECT_TRUE(failed(complete(), ErrorCode::InvalidArgument, "temperature")) << bad;
  }
}

// ------------------------------------------------------------------------------------------------- tokens

TEST_F(CompletePrompt, EstimatesOneTokenPerThreeBytes) {
  EXPECT_EQ(usecases::estimated_tokens(0), 0u);
  EXPECT_EQ(usecases::estimated_tokens(1), 1u);
  EXPECT_EQ(usecases::estimated_tokens(3), 1u);
  EXPECT_EQ(usecases::estimated_tokens(4), 2u);
}

TEST_F(CompletePrompt, ReservesTheEstimateAndAdjustsItToTheUsage) {
  client_.tokens_per_day = 50;
  model_.answer = [this](ports::Call&, Visitor<std::string_view>) {
    EXPECT_EQ(rate_limiter_.used(), std::vector<std::uint32_t>{12}) << "10 of the completion, 2 of the prompt";
    return Completion{"small", ports::FinishReason::Stop, 3, 4};
  };
  ASSERT_TRUE(succeeded(complete()));
  EXPECT_EQ(rate_limiter_.used(), std::vector<std::uint32_t>{7});
}

TEST_F(CompletePrompt, RejectsAPromptThatExceedsTheTokensOfTheDay) {
  client_.tokens_per_day = 11;
  const auto outcome = complete();
  ASSERT_TRUE(succeeded(outcome));
  EXPECT_EQ(std::get<TokensSpent>(*outcome).limit, 11u);
  EXPECT_EQ(std::get<TokensSpent>(*outcome).remaining, 11u);
  EXPECT_EQ(model_.calls, 0) << "no request is sent to the service";
}

TEST_F(CompletePrompt, LimitsAllClientsTogetherByOneBudget) {
  client_.tokens_per_day = 1000;
  rules_.tokens_per_day = 20;
  ASSERT_TRUE(std::holds_alternative<Completion>(complete().value()));
  client_.client_id = {2};
  rules_.default_max_tokens = 12;
  const auto outcome = complete();
  ASSERT_TRUE(succeeded(outcome));
  EXPECT_EQ(std::get<TokensSpent>(*outcome).limit, 20u) << "7 are used, and 14 are requested";
  EXPECT_EQ(rate_limiter_.used(), (std::vector<std::uint32_t>{0, 7, 7})) << "the second client's tokens are refunded";
}

TEST_F(CompletePrompt, CountsNothingWithoutALimit) {
  rate_limiter_.is_away = true;
  ASSERT_TRUE(succeeded(complete()));
}

TEST_F(CompletePrompt, DoesNotCallTheModelWhileTokensCannotBeCounted) {
  client_.tokens_per_day = 50;
  rate_limiter_.is_away = true;
  EXPECT_TRUE(failed(complete(), ErrorCode::Unavailable));
  EXPECT_EQ(model_.calls, 0);
}

TEST_F(CompletePrompt, ChargesAFailureByItsKnownUsage) {
  client_.tokens_per_day = 1000;
  const auto charged_for = [this](ErrorCode code, bool after_text) {
    rate_limiter_.days.clear();
    model_.answer = [=](ports::Call&, Visitor<std::string_view> text) -> Result<Completion> {
      if (after_text) text("1234567");
      return Error{code, "No."};
    };
    EXPECT_TRUE(failed(complete(), code));
    return rate_limiter_.used().at(0);
  };
  EXPECT_EQ(charged_for(ErrorCode::InvalidArgument, false), 0u);
  EXPECT_EQ(charged_for(ErrorCode::Unavailable, false), 0u);
  EXPECT_EQ(charged_for(ErrorCode::BadUpstream, false), 0u);
  EXPECT_EQ(charged_for(ErrorCode::Deadline, false), 12u) << "the service may still be working";
  EXPECT_EQ(charged_for(ErrorCode::Cancelled, false), 12u);
  EXPECT_EQ(charged_for(ErrorCode::BadUpstream, true), 5u) << "2 for the prompt, 3 for the text";
  EXPECT_EQ(charged_for(ErrorCode::Cancelled, true), 5u);
}

// ------------------------------------------------------------------------------------------------- timeouts

TEST_F(CompletePrompt, GivesAPlainCompletionTheDeadlineOfTheCall) {
  ASSERT_TRUE(succeeded(complete()));
  EXPECT_EQ(model_.deadline, call_.deadline);
}

TEST_F(CompletePrompt, EndsAStreamWhoseFirstPieceIsTooLate) {
  request_.stream = true;
  model_.answer = [this](ports::Call& call, Visitor<std::string_view>) -> Result<Completion> {
    clock_.advance(9s);
    EXPECT_FALSE(call.cancelled());
    clock_.advance(1s);
    EXPECT_TRUE(call.cancelled());
    return Error{ErrorCode::Cancelled, "The client has left."};
  };
  EXPECT_TRUE(failed(complete(), ErrorCode::Deadline));
}

TEST_F(CompletePrompt, ContinuesAStreamAsLongAsItIsNotSilent) {
  request_.stream = true;
  model_.answer = [this](ports::Call& call, Visitor<std::string_view> text) -> Result<Completion> {
    EXPECT_EQ(call.deadline, clock_.steady() + 60s);
    for (int i = 0; i < 5; ++i) {
      clock_.advance(4s);
      EXPECT_FALSE(call.cancelled());
      text("more");
    }
    clock_.advance(5s);
    EXPECT_TRUE(call.cancelled());
    return Error{ErrorCode::Cancelled, "The client has left."};
  };
  EXPECT_TRUE(failed(complete(), ErrorCode::Deadline)) << "the service is silent";
}

TEST_F(CompletePrompt, DistinguishesASlowReaderFromASilentService) {
  request_.stream = true;
  ports::Call* inner = nullptr;
  model_.answer = [&](ports::Call& call, Visitor<std::string_view> text) {
    inner = &call;
    text("slowly");
    EXPECT_FALSE(call.cancelled());
    return Completion{"small", ports::FinishReason::Stop, 1, 1};
  };
  usecases::CompletePrompt completions({&model_, rate_limiter_, digest_, clock_, log_}, rules_);
  EXPECT_TRUE(succeeded(completions.complete(call_, client_, request_, [&](std::string_view) {
    clock_.advance(20s);
    EXPECT_FALSE(inner->cancelled());
    return Visit::Continue;
  })));
}

TEST_F(CompletePrompt, EndsAStreamWhoseClientHasLeft) {
  request_.stream = true;
  std::atomic<bool> left = false;
  call_.cancel = &left;
  model_.answer = [&](ports::Call& call, Visitor<std::string_view>) -> Result<Completion> {
    EXPECT_FALSE(call.cancelled());
    left = true;
    EXPECT_TRUE(call.cancelled());
    return Error{ErrorCode::Cancelled, "The client has left."};
  };
  EXPECT_TRUE(failed(complete(), ErrorCode::Cancelled));
}

// ------------------------------------------------------------------------------------------------- the log

TEST_F(CompletePrompt, LogsPromptsOnlyIfConfigured) {
  ASSERT_TRUE(succeeded(complete()));
  EXPECT_EQ(log_.text, "");
  rules_.log_prompts = true;
  call_.trace_id = "r1";
  ASSERT_TRUE(succeeded(complete()));
  EXPECT_EQ(log_.text, "llm.prompt r1 small Why? Because.");
}

}  // namespace
}  // namespace kbase::tests
