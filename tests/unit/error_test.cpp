// SPDX-License-Identifier: Apache-2.0
#include "domain/base/result.hpp"

#include <gtest/gtest.h>

namespace kbase::model {
namespace {

TEST(Error, PrependsTheContextOfEachLayerToTheDetail) {
  const Error cause{ErrorCode::Unavailable, "try again later", "disk is full", "q", std::chrono::seconds(3)};
  const Error error = cause.during("committing").during("importing");
  EXPECT_EQ(error.detail, "importing: committing: disk is full");
  EXPECT_EQ(error.message, "try again later");
  EXPECT_EQ(error.code, ErrorCode::Unavailable);
  EXPECT_EQ(error.parameter, "q");
  EXPECT_EQ(error.retry_after, std::chrono::seconds(3));
}

TEST(Error, UsesTheMessageAsTheDetailIfThereIsNone) {
  EXPECT_EQ((Error{ErrorCode::Gone, "it is gone"}.during("reading").detail), "reading: it is gone");
}

}  // namespace
}  // namespace kbase::model
