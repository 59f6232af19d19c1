// SPDX-License-Identifier: Apache-2.0
#pragma once

// Trompeloeil's mocks are strict: an unexpected call and an unmet expectation fail the test. The adapter reports such
// failures to GoogleTest; its header needs GoogleTest's macros, so it is included second.
#include <gtest/gtest.h>

#include <gtest/trompeloeil.hpp>

#include "domain/base/function_ref.hpp"

namespace kbase::tests {

/// Passes these rows to the visitor of a mocked call.
template <class Rows, class Row> void hand(const Rows& rows, Visitor<Row> visitor) {
  for (const Row& row : rows)
    if (visitor(row) == Visit::Stop) return;
}

}  // namespace kbase::tests
