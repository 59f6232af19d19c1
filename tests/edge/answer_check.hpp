// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>

#include "tests/adapters/http_answer.hpp"
#include "tests/edge/raw_case.hpp"

namespace kbase::tests {

/// What the server says will become of the connection.
enum class Says { Nothing, Close, KeepAlive };

/// Fails the test where an answer is not wholly what the manual (docs/guide/index.md, errors.md, rate-limits.md and
/// cors.md) and RFC 9110 promise of one with its status: the form of its body, and every field that all answers, or
/// those of this status, carry.
void expect_sound(const HttpAnswer& answer, const Expected& expected, Says connection);

}  // namespace kbase::tests
