// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "tests/adapters/native_index/reference/history.hpp"
#include "tests/adapters/native_index/reference/index_under_test.hpp"

namespace kbase::tests {

/// Applies the history to a new index and to the reference and returns the first difference: an error, the total, the
/// match rule, ids and their order, relevance, texts, revisions. nullopt: no difference.
std::optional<std::string> first_difference(const MakeIndex& make, const History& history);

}  // namespace kbase::tests
