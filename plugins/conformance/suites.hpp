// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "plugins/conformance/fixtures.hpp"
#include "plugins/conformance/language_model_fixture.hpp"
#include "plugins/conformance/suite.hpp"

namespace kbase::conformance {

/// Contract suite of ports::AccountStore.
Suite<AccountStoreFixture> account_store_suite();

/// Contract suite of ports::InsightStore.
Suite<InsightStoreFixture> insight_store_suite();

/// Contract suite of ports::ActivityStore.
Suite<ActivityStoreFixture> activity_store_suite();

/// Contract suite of ports::ApiKeyStore.
Suite<ApiKeyStoreFixture> api_key_store_suite();

/// Contract suite of ports::Cache.
Suite<CacheFixture> cache_suite();

/// Contract suite of ports::CodeHost, for any service. Checks mainly that failures and invalid responses are handled.
/// How valid responses are read depends on the service and is tested with each implementation.
Suite<CodeHostFixture> code_host_suite();

/// Contract suite of ports::ItemStore.
Suite<ItemStoreFixture> item_store_suite();

/// Contract suite of ports::LanguageModel.
Suite<LanguageModelFixture> language_model_suite();

/// Contract suite of ports::Mailer. The mails are sent to addresses of example.org and example.com, which no one has.
Suite<MailerFixture> mailer_suite();

/// Contract suite of ports::RateLimitStore::acquire.
Suite<RateLimitStoreFixture> rate_limit_acquire_suite();

/// Contract suite of ports::RateLimitStore, with acquire() and adjust().
Suite<RateLimitStoreFixture> rate_limit_store_suite();

/// Contract suite of ports::SearchIndex.
Suite<SearchIndexFixture> search_index_suite();

// Parts of account_store_suite() and api_key_store_suite().
Suite<AccountStoreFixture> account_store_mails();
Suite<ApiKeyStoreFixture> api_key_store_usage();

// Parts of item_store_suite(), one per source file.
Suite<ItemStoreFixture> item_store_round_trips();
Suite<ItemStoreFixture> item_store_lists();
Suite<ItemStoreFixture> item_store_batches();
Suite<ItemStoreFixture> item_store_feed();
Suite<ItemStoreFixture> item_store_waits();
Suite<ItemStoreFixture> item_store_leases();
Suite<ItemStoreFixture> item_store_synonyms();

// Checks of activity_store_suite() that are defined in activity_store_snapshots.cpp.
void a_snapshot_lists_journals_then_counts(ActivityStoreFixture& fixture, Report& report);
void a_snapshot_is_consistent(ActivityStoreFixture& fixture, Report& report);
void continues_from_a_snapshot(ActivityStoreFixture& fixture, Report& report);

}  // namespace kbase::conformance
