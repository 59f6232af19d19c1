// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "plugins/conformance/fixtures.hpp"
#include "plugins/conformance/suite.hpp"

/// Checks of activity_store_suite() that are defined in a separate file.
namespace kbase::conformance {

// activity_store_snapshots.cpp
void a_snapshot_tells_journals_then_counts(ActivityStoreFixture& fixture, Report& report);
void a_snapshot_is_of_one_state(ActivityStoreFixture& fixture, Report& report);
void counts_on_from_a_snapshot(ActivityStoreFixture& fixture, Report& report);

}  // namespace kbase::conformance
