// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "tests/adapters/native_index/reference/history.hpp"
#include "tests/adapters/native_index/reference/index_under_test.hpp"

namespace kbase::tests {

/// Lets the history happen to a new index and to the reference, and tells the first difference of what they answer:
/// an error, the total, the rule, ids and their order, relevance, texts, revisions. nullopt: there is none.
std::optional<std::string> first_difference(const MakeIndex& make, const History& history);

}  // namespace kbase::tests
