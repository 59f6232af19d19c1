// SPDX-License-Identifier: Apache-2.0
#include "domain/usecases/call_external.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "tests/support/outcome.hpp"

namespace kbase::tests {
namespace {

using model::ErrorCode;

class CallExternal : public testing::Test {
 protected:
  CallExternal() { request_.prompt = "Why?"; }

  model::Status complete() { return external_.complete(call_, request_); }

  usecases::CallExternal external_;
  ports::Call call_;
  ports::CompletionRequest request_;
};

TEST_F(CallExternal, IsUnavailableWhileNoServiceIsConfigured) {
  EXPECT_TRUE(failed(complete(), ErrorCode::Unavailable));
  request_.model = "large";
  request_.max_tokens = 1;
  request_.stream = true;
  EXPECT_TRUE(failed(complete(), ErrorCode::Unavailable));
}

TEST_F(CallExternal, ChecksTheRequestBeforeTheService) {
  request_.prompt = "";
  EXPECT_TRUE(failed(complete(), ErrorCode::InvalidArgument, "prompt"));
}

TEST_F(CallExternal, RefusesAnEmptyModelName) {
  request_.model = "";
  EXPECT_TRUE(failed(complete(), ErrorCode::InvalidArgument, "model"));
}

TEST_F(CallExternal, RefusesACompletionOfNoTokens) {
  request_.max_tokens = 0;
  EXPECT_TRUE(failed(complete(), ErrorCode::InvalidArgument, "max_tokens"));
}

TEST_F(CallExternal, TakesATemperatureFrom0To2) {
  for (const double good : {0.0, 0.7, 2.0}) {
    request_.temperature = good;
    EXPECT_TRUE(failed(complete(), ErrorCode::Unavailable)) << good;
  }
  using Limits = std::numeric_limits<double>;
  for (const double bad : {-0.001, 2.001, Limits::quiet_NaN(), Limits::infinity(), -Limits::infinity()}) {
    request_.temperature = bad;
    EXPECT_TRUE(failed(complete(), ErrorCode::InvalidArgument, "temperature")) << bad;
  }
}

}  // namespace
}  // namespace kbase::tests
