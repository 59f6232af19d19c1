// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "domain/model/function_ref.hpp"
#include "tests/adapters/native_index/reference/history.hpp"

namespace kbase::tests {

/// Removes steps, items, tags and words of the history as long as it still fails: delta debugging (Zeller, Hildebrandt
/// 2002), with an end for the largest. `fails` is asked many times and has to answer alike for the same history.
History shrunk(History history, model::FunctionRef<bool(const History&)> fails);

}  // namespace kbase::tests
