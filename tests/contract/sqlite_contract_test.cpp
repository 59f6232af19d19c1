// SPDX-License-Identifier: Apache-2.0
#include <memory>

#include "adapters/sqlite/item_store.hpp"
#include "adapters/sqlite/state_database.hpp"
#include "plugins/conformance/suites.hpp"
#include "tests/support/contract.hpp"
#include "tests/support/counting_random.hpp"
#include "tests/support/temporary_folder.hpp"

namespace kbase::tests {
namespace {

using conformance::AccountStoreFixture;
using conformance::ActivityStoreFixture;
using conformance::ApiKeyStoreFixture;
using conformance::InsightStoreFixture;
using conformance::ItemStoreFixture;

class SqliteItemStoreFixture final : public ItemStoreFixture {
 public:
  SqliteItemStoreFixture() { reopen(); }

  ports::ItemStore& port() override { return *store_; }

  bool reopen() override {
    store_.reset();
    auto opened = sqlite::SqliteItemStore::open({.path = folder_.path() / "content.db"}, clock, random_, nullptr);
    if (!opened) throw std::runtime_error(opened.error().message);
    store_ = *std::move(opened);
    return true;
  }

 private:
  TemporaryFolder folder_;
  CountingRandom random_;
  std::unique_ptr<sqlite::SqliteItemStore> store_;
};

/// Fixture for a port that state.db implements.
template <class Fixture, auto kPort> class StateFixture final : public Fixture {
 public:
  StateFixture() { reopen(); }

  decltype(std::declval<Fixture&>().port()) port() override { return ((*state_).*kPort)(); }

  bool reopen() override {
    state_.reset();
    auto opened = sqlite::StateDatabase::open({.path = folder_.path() / "state.db"}, this->clock);
    if (!opened) throw std::runtime_error(opened.error().message);
    state_ = *std::move(opened);
    return true;
  }

 private:
  TemporaryFolder folder_;
  std::unique_ptr<sqlite::StateDatabase> state_;
};

using SqliteActivityFixture = StateFixture<ActivityStoreFixture, &sqlite::StateDatabase::activity>;
using SqliteAccountFixture = StateFixture<AccountStoreFixture, &sqlite::StateDatabase::accounts>;
using SqliteInsightFixture = StateFixture<InsightStoreFixture, &sqlite::StateDatabase::insights>;
using SqliteApiKeyFixture = StateFixture<ApiKeyStoreFixture, &sqlite::StateDatabase::api_keys>;

const bool kRegistered =
    register_contract<ItemStoreFixture>("SqliteItemStore", conformance::item_store_suite(),
                                        [] { return std::make_unique<SqliteItemStoreFixture>(); }) &&
    register_contract<ActivityStoreFixture>("SqliteActivityStore", conformance::activity_store_suite(),
                                            [] { return std::make_unique<SqliteActivityFixture>(); }) &&
    register_contract<ApiKeyStoreFixture>("SqliteApiKeyStore", conformance::api_key_store_suite(),
                                          [] { return std::make_unique<SqliteApiKeyFixture>(); }) &&
    register_contract<AccountStoreFixture>("SqliteAccountStore", conformance::account_store_suite(),
                                           [] { return std::make_unique<SqliteAccountFixture>(); }) &&
    register_contract<InsightStoreFixture>("SqliteInsightStore", conformance::insight_store_suite(),
                                           [] { return std::make_unique<SqliteInsightFixture>(); });

}  // namespace
}  // namespace kbase::tests
