// SPDX-License-Identifier: Apache-2.0
#pragma once

// Trompeloeil's mocks are strict: a call that no test expects, and an expectation that nobody meets, fail the test.
// The adapter, which needs GoogleTest's macros before it, makes such a failure one of GoogleTest's.
#include <gtest/gtest.h>

#include <gtest/trompeloeil.hpp>

#include "domain/model/function_ref.hpp"

namespace kbase::tests {

/// What a mocked visiting call does: hands these rows to its visitor.
template <class Rows, class Row>
void hand(const Rows& rows, model::Visitor<Row> visitor) {
  for (const Row& row : rows)
    if (visitor(row) == model::Visit::Stop) return;
}

}  // namespace kbase::tests
