// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "domain/base/function_ref.hpp"
#include "tests/adapters/native_index/reference/history.hpp"

namespace kbase::tests {

/// Removes steps, items, tags and words of the history while it still fails: delta debugging (Zeller, Hildebrandt
/// 2002), with a limit of attempts for large histories. `fails` is called many times and must be deterministic.
History shrunk(History history, FunctionRef<bool(const History&)> fails);

}  // namespace kbase::tests
