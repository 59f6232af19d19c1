// SPDX-License-Identifier: Apache-2.0
#include <memory>
#include <stdexcept>

#include "adapters/postgres/database.hpp"
#include "adapters/postgres/item_store.hpp"
#include "plugins/conformance/suites.hpp"
#include "tests/support/contract.hpp"
#include "tests/support/counting_random.hpp"
#include "tests/support/postgres_server.hpp"

namespace kbase::tests {
namespace {

using conformance::AccountStoreFixture;
using conformance::ActivityStoreFixture;
using conformance::ApiKeyStoreFixture;
using conformance::InsightStoreFixture;
using conformance::ItemStoreFixture;

/// Returns options with a new schema on a server that all checks share.
postgres::Options own_schema() {
  static const PostgresServer server;
  static int count = 0;
  postgres::Options options;
  options.url = server.url();
  options.schema = "check-" + std::to_string(++count);
  return options;
}

class PostgresItemStoreFixture final : public ItemStoreFixture {
 public:
  PostgresItemStoreFixture() { reopen(); }

  ports::ItemStore& port() override { return *store_; }

  bool reopen() override {
    store_.reset();
    auto opened = postgres::PostgresItemStore::open(options_, clock, random_);
    if (!opened) throw std::runtime_error(opened.error().message);
    store_ = *std::move(opened);
    return true;
  }

 private:
  const postgres::Options options_ = own_schema();
  CountingRandom random_;
  std::unique_ptr<postgres::PostgresItemStore> store_;
};

/// Fixture for either port of the state store.
template <class Fixture, auto kPort> class StateFixture final : public Fixture {
 public:
  StateFixture() { reopen(); }

  decltype(std::declval<Fixture&>().port()) port() override { return ((*state_).*kPort)(); }

  bool reopen() override {
    state_.reset();
    auto opened = postgres::StateDatabase::open(options_, this->clock, random_);
    if (!opened) throw std::runtime_error(opened.error().message);
    state_ = *std::move(opened);
    return true;
  }

 private:
  const postgres::Options options_ = own_schema();
  CountingRandom random_;
  std::unique_ptr<postgres::StateDatabase> state_;
};

using PostgresActivityFixture = StateFixture<ActivityStoreFixture, &postgres::StateDatabase::activity>;
using PostgresAccountFixture = StateFixture<AccountStoreFixture, &postgres::StateDatabase::accounts>;
using PostgresInsightFixture = StateFixture<InsightStoreFixture, &postgres::StateDatabase::insights>;
using PostgresApiKeyFixture = StateFixture<ApiKeyStoreFixture, &postgres::StateDatabase::api_keys>;

const char* missing() { return has_postgres() ? nullptr : kNoPostgres; }

const bool kRegistered = register_contract<ItemStoreFixture>(
                             "PostgresItemStore", conformance::item_store_suite(),
                             [] { return std::make_unique<PostgresItemStoreFixture>(); }, missing()) &&
                         register_contract<ActivityStoreFixture>(
                             "PostgresActivityStore", conformance::activity_store_suite(),
                             [] { return std::make_unique<PostgresActivityFixture>(); }, missing()) &&
                         register_contract<ApiKeyStoreFixture>(
                             "PostgresApiKeyStore", conformance::api_key_store_suite(),
                             [] { return std::make_unique<PostgresApiKeyFixture>(); }, missing()) &&
                         register_contract<AccountStoreFixture>(
                             "PostgresAccountStore", conformance::account_store_suite(),
                             [] { return std::make_unique<PostgresAccountFixture>(); }, missing()) &&
                         register_contract<InsightStoreFixture>(
                             "PostgresInsightStore", conformance::insight_store_suite(),
                             [] { return std::make_unique<PostgresInsightFixture>(); }, missing());

}  // namespace
}  // namespace kbase::tests
