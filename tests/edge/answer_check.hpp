// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>

#include "tests/adapters/http_answer.hpp"
#include "tests/edge/raw_case.hpp"

namespace kbase::tests {

/// Connection state that the response announces.
enum class Announced { Nothing, Close, KeepAlive };

/// Fails the test if the response violates the manual (docs/guide/index.md, errors.md, rate-limits.md and cors.md) or
/// RFC 9110 for its status. Checks the form of the body, the fields of every response and the fields of this status.
void expect_valid(const HttpAnswer& answer, const Expected& expected, Announced connection);

}  // namespace kbase::tests
