// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include "plugins/conformance/search_index_checks.hpp"

namespace kbase::tests {

/// Checks that only one of two objects on the same folder can write, and that the error names the folder.
inline void expect_one_writer(ports::SearchIndex& one, ports::SearchIndex& two, const std::string& folder) {
  ports::Call call;
  const auto writer = one.begin(call, ports::SearchIndex::Build::Rebuild, conformance::kStoreId);
  ASSERT_TRUE(writer);
  const auto second = two.begin(call, ports::SearchIndex::Build::Rebuild, conformance::kStoreId);
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().code, ErrorCode::Conflict);
  EXPECT_NE(second.error().message.find(folder), std::string::npos);
}

}  // namespace kbase::tests
