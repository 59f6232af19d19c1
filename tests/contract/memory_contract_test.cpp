// SPDX-License-Identifier: Apache-2.0
#include "adapters/memory/account_store.hpp"
#include "adapters/memory/activity_store.hpp"
#include "adapters/memory/api_key_store.hpp"
#include "adapters/memory/cache.hpp"
#include "adapters/memory/insight_store.hpp"
#include "adapters/memory/item_store.hpp"
#include "adapters/memory/rate_limit_store.hpp"
#include "plugins/conformance/suites.hpp"
#include "tests/support/contract.hpp"

namespace kbase::tests {
namespace {

/// Returns the same bytes on each call: the checks must not depend on random bytes that differ.
class FixedRandom final : public ports::Random {
 public:
  void fill(std::span<std::uint8_t> bytes) override {
    for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<std::uint8_t>(i + 1);
  }
};

/// The memory adapters are not persistent, so they cannot be reopened.
template <class Port> class MemoryFixture : public conformance::Fixture<Port> {
 public:
  bool reopen() final { return false; }
};

class ItemStoreFixture final : public MemoryFixture<ports::ItemStore> {
 public:
  ports::ItemStore& port() override { return store_; }

 private:
  FixedRandom random_;
  memory::MemoryItemStore store_{random_, clock};
};

class ActivityStoreFixture final : public MemoryFixture<ports::ActivityStore> {
 public:
  ports::ActivityStore& port() override { return store_; }

 private:
  memory::MemoryActivityStore store_;
};

class ApiKeyStoreFixture final : public MemoryFixture<ports::ApiKeyStore> {
 public:
  ports::ApiKeyStore& port() override { return store_; }

 private:
  memory::MemoryApiKeyStore store_;
};

class AccountStoreFixture final : public MemoryFixture<ports::AccountStore> {
 public:
  ports::AccountStore& port() override { return store_; }

 private:
  memory::MemoryAccountStore store_;
};

class InsightStoreFixture final : public MemoryFixture<ports::InsightStore> {
 public:
  ports::InsightStore& port() override { return store_; }

 private:
  memory::MemoryInsightStore store_;
};

class RateLimitStoreFixture final : public MemoryFixture<ports::RateLimitStore> {
 public:
  ports::RateLimitStore& port() override { return store_; }

 private:
  memory::MemoryRateLimitStore store_{clock, {.max_clients = 25'000}};  // small enough that a check can fill it
};

class CacheFixture final : public MemoryFixture<ports::Cache> {
 public:
  ports::Cache& port() override { return cache_; }

 private:
  memory::MemoryCache cache_{clock};
};

const bool kRegistered =
    register_contract<conformance::ItemStoreFixture>("MemoryItemStore", conformance::item_store_suite(),
                                                     [] { return std::make_unique<ItemStoreFixture>(); }) &&
    register_contract<conformance::ActivityStoreFixture>("MemoryActivityStore", conformance::activity_store_suite(),
                                                         [] { return std::make_unique<ActivityStoreFixture>(); }) &&
    register_contract<conformance::ApiKeyStoreFixture>("MemoryApiKeyStore", conformance::api_key_store_suite(),
                                                       [] { return std::make_unique<ApiKeyStoreFixture>(); }) &&
    register_contract<conformance::AccountStoreFixture>("MemoryAccountStore", conformance::account_store_suite(),
                                                        [] { return std::make_unique<AccountStoreFixture>(); }) &&
    register_contract<conformance::InsightStoreFixture>("MemoryInsightStore", conformance::insight_store_suite(),
                                                        [] { return std::make_unique<InsightStoreFixture>(); }) &&
    register_contract<conformance::RateLimitStoreFixture>("MemoryRateLimitStore", conformance::rate_limit_store_suite(),
                                                          [] { return std::make_unique<RateLimitStoreFixture>(); }) &&
    register_contract<conformance::CacheFixture>("MemoryCache", conformance::cache_suite(),
                                                 [] { return std::make_unique<CacheFixture>(); });

}  // namespace
}  // namespace kbase::tests
