// SPDX-License-Identifier: Apache-2.0
#include "domain/model/result.hpp"

#include <gtest/gtest.h>

namespace kbase::model {
namespace {

TEST(Error, GathersWhatEachLayerWasDoingBeforeItsDetail) {
  const Error cause{ErrorCode::Unavailable, "try again later", "disk is full", "q", std::chrono::seconds(3)};
  const Error told = cause.during("committing").during("importing");
  EXPECT_EQ(told.detail, "importing: committing: disk is full");
  EXPECT_EQ(told.message, "try again later");
  EXPECT_EQ(told.code, ErrorCode::Unavailable);
  EXPECT_EQ(told.parameter, "q");
  EXPECT_EQ(told.retry_after, std::chrono::seconds(3));
}

TEST(Error, TakesTheMessageForTheDetailItLacks) {
  EXPECT_EQ((Error{ErrorCode::Gone, "it is gone", {}, {}, {}}.during("reading").detail), "reading: it is gone");
}

}  // namespace
}  // namespace kbase::model
