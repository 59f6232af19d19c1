// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include "tests/adapters/native_index/reference/index_under_test.hpp"

namespace kbase::tests {

/// For EXPECT_TRUE: the index and the reference return the same results for `cases` searches in random histories. A
/// failure shows the smallest history that still differs and how to repeat the full one. The environment can set the
/// number of cases (KBASE_RANDOM_CASES, for long runs) and the first seed (KBASE_RANDOM_SEED).
testing::AssertionResult answers_as_the_reference(const MakeIndex& make, std::uint64_t cases);

}  // namespace kbase::tests
