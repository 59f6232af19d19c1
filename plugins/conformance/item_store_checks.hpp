// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "plugins/conformance/fixtures.hpp"
#include "plugins/conformance/suite.hpp"

/// The parts of the contract suite of ports::ItemStore.
namespace kbase::conformance {

Suite<ItemStoreFixture> item_store_round_trips();
Suite<ItemStoreFixture> item_store_lists();
Suite<ItemStoreFixture> item_store_batches();
Suite<ItemStoreFixture> item_store_feed();
Suite<ItemStoreFixture> item_store_waits();
Suite<ItemStoreFixture> item_store_leases();

}  // namespace kbase::conformance
