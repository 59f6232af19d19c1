// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "plugins/conformance/fixtures.hpp"
#include "plugins/conformance/suite.hpp"

namespace kbase::conformance {

// Parts of item_store_suite(), one per source file.
Suite<ItemStoreFixture> item_store_round_trips();
Suite<ItemStoreFixture> item_store_lists();
Suite<ItemStoreFixture> item_store_batches();
Suite<ItemStoreFixture> item_store_feed();
Suite<ItemStoreFixture> item_store_waits();
Suite<ItemStoreFixture> item_store_leases();

// Checks of activity_store_suite() that are defined in activity_store_snapshots.cpp.
void a_snapshot_lists_journals_then_counts(ActivityStoreFixture& fixture, Report& report);
void a_snapshot_is_consistent(ActivityStoreFixture& fixture, Report& report);
void continues_from_a_snapshot(ActivityStoreFixture& fixture, Report& report);

}  // namespace kbase::conformance
