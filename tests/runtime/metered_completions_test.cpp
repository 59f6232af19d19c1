// SPDX-License-Identifier: Apache-2.0
#include "app/runtime/metered_completions.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <string>

#include "adapters/prometheus/prometheus_metrics.hpp"
#include "plugins/conformance/fixtures.hpp"
#include "tests/support/outcome.hpp"

namespace kbase::tests {
namespace {

using namespace std::chrono_literals;
using Outcome = ports::Completions::Outcome;

class ScriptedCompletions final : public ports::Completions {
 public:
  using Script = std::function<Result<Outcome>(Visitor<std::string_view>)>;

  Result<Outcome> complete(ports::Call&, const ports::ExternalClient&, const ports::CompletionRequest&,
                           Visitor<std::string_view> text) override {
    return script(text);
  }
  Script script;
};

class MeteredCompletions : public testing::Test {
 protected:
  Result<Outcome> ask(bool is_stream, ScriptedCompletions::Script script) {
    completions_.script = std::move(script);
    ports::CompletionRequest request;
    request.stream = is_stream;
    ports::Call call;
    return metered_.complete(call, {}, request, [](std::string_view) { return Visit::Continue; });
  }
  Result<Outcome> end(ErrorCode code) {
    return ask(false, [code](auto) { return Error{code, "No."}; });
  }

  /// The value of a metric series.
  std::string value_of(const std::string& series) const {
    const std::string text = metrics_.expose().text;
    const std::size_t found = text.find("\nkbase_llm_" + series + ' ');
    if (found == std::string::npos) return "no such series";
    const std::size_t start = text.find(' ', found) + 1;
    return text.substr(start, text.find('\n', start) - start);
  }
  std::string completions(const std::string& outcome) const {
    return value_of("completions_total{outcome=\"" + outcome + "\"}");
  }

  conformance::ManualClock clock_;
  prometheus::PrometheusMetrics metrics_;
  ScriptedCompletions completions_;
  runtime::MeteredCompletions metered_{completions_, clock_, metrics_};
};

const ports::Completion kDone{"small", ports::FinishReason::Stop, 3, 5};

TEST_F(MeteredCompletions, CountsTheOutcomeAndTheTokensOfEachCompletion) {
  for (int i = 0; i < 2; ++i) EXPECT_TRUE(succeeded(ask(false, [](auto) { return Outcome(kDone); })));
  EXPECT_TRUE(succeeded(ask(false, [](auto) { return Outcome(ports::TokensSpent{}); })));
  for (const ErrorCode code : {ErrorCode::InvalidArgument, ErrorCode::Unavailable, ErrorCode::Deadline,
                               ErrorCode::Cancelled, ErrorCode::BadUpstream, ErrorCode::Internal})
    EXPECT_TRUE(failed(end(code), code));
  EXPECT_EQ(completions("completed"), "2");
  EXPECT_EQ(completions("failed"), "2");
  for (const char* outcome : {"spent", "wrong", "unavailable", "timed_out", "cancelled"})
    EXPECT_EQ(completions(outcome), "1") << outcome;
  EXPECT_EQ(value_of(R"(tokens_total{of="prompt"})"), "6");
  EXPECT_EQ(value_of(R"(tokens_total{of="completion"})"), "10");
}

TEST_F(MeteredCompletions, MeasuresTheTimeToTheFirstPieceAndTheOpenStreams) {
  EXPECT_TRUE(succeeded(ask(true, [this](auto text) {
    clock_.advance(300ms);
    EXPECT_EQ(value_of("open_streams"), "0") << "no piece was sent yet";
    for (const char* piece : {"Be", "cause"}) {
      text(piece);
      EXPECT_EQ(value_of("open_streams"), "1");
      clock_.advance(10s);
    }
    return Outcome(kDone);
  })));
  EXPECT_EQ(value_of("open_streams"), "0");
  EXPECT_EQ(value_of("first_piece_duration_seconds_count"), "1");
  EXPECT_EQ(value_of(R"(first_piece_duration_seconds_bucket{le="0.25"})"), "0");
  EXPECT_EQ(value_of(R"(first_piece_duration_seconds_bucket{le="0.5"})"), "1");
}

TEST_F(MeteredCompletions, CountsNoStreamForAPlainCompletion) {
  EXPECT_TRUE(succeeded(ask(false, [](auto text) {
    text("Because");
    return Outcome(kDone);
  })));
  EXPECT_EQ(value_of("first_piece_duration_seconds_count"), "0");
}

TEST_F(MeteredCompletions, CountsAStreamThatThrowsAsEnded) {
  EXPECT_THROW(static_cast<void>(ask(true,
                                     [](auto text) -> Result<Outcome> {
                                       text("Be");
                                       throw std::runtime_error("no memory");
                                     })),
               std::runtime_error);
  EXPECT_EQ(value_of("open_streams"), "0");
}

}  // namespace
}  // namespace kbase::tests
