// SPDX-License-Identifier: Apache-2.0
#include <atomic>
#include <mutex>

#include "adapters/redis/cache.hpp"
#include "adapters/redis/rate_limit_store.hpp"
#include "plugins/conformance/suites.hpp"
#include "tests/support/contract.hpp"
#include "tests/support/faketime.hpp"
#include "tests/support/redis_cluster.hpp"
#include "tests/support/redis_sentinel.hpp"

namespace kbase::tests {
namespace {

using conformance::RateLimitStoreFixture;
using redis::Options;

/// Returns a new key prefix, since all fixtures share their servers.
std::string own_prefix() {
  static std::atomic<int> count{0};
  return "check-" + std::to_string(++count) + ":";
}

std::unique_ptr<ports::RateLimitStore> open(Options options, const ports::Clock& clock) {
  options.prefix = own_prefix();
  return redis::RedisRateLimitStore::open(options, clock).value();
}

/// A store that computes the windows with the clock of the check.
class CallersTime : public RateLimitStoreFixture {
 public:
  explicit CallersTime(std::string url) {
    options_.url = std::move(url);
    options_.clock_source = Options::ClockSource::Caller;
    options_.prefix = own_prefix();
    reopen();
  }

  ports::RateLimitStore& port() override { return *store_; }
  bool reopen() override {
    store_ = redis::RedisRateLimitStore::open(options_, clock).value();
    return true;
  }

 private:
  Options options_;
  std::unique_ptr<ports::RateLimitStore> store_;
};

/// A store on a Redis server whose own clock follows the clock of the check.
class ServersTime final : public RateLimitStoreFixture {
 public:
  ServersTime() { wall_clock().set(clock.now()); }

  ports::RateLimitStore& port() override { return store_; }
  bool reopen() override { return false; }

 private:
  /// Sets the server's clock before each call.
  class Clocked final : public ports::RateLimitStore {
   public:
    Clocked(const ports::Clock& clock, std::unique_ptr<ports::RateLimitStore> store)
        : clock_(clock), store_(std::move(store)) {}

    Capabilities capabilities() const override { return store_->capabilities(); }
    Status acquire(ports::Call& call, std::span<const ports::AcquireRequest* const> requests,
                   std::span<ports::Decision* const> decisions) override {
      set_clock();
      return store_->acquire(call, requests, decisions);
    }
    Status adjust(ports::Call& call, const ports::AcquireRequest& request, const ports::Decision& decision,
                  std::uint32_t used) override {
      set_clock();
      return store_->adjust(call, request, decision, used);
    }
    Status health(ports::Call& call) override { return store_->health(call); }

   private:
    void set_clock() {
      const std::lock_guard lock(mutex_);
      const model::Instant now = clock_.now();
      if (now != last_) wall_clock().set(now);
      last_ = now;
    }

    const ports::Clock& clock_;
    const std::unique_ptr<ports::RateLimitStore> store_;
    std::mutex mutex_;
    model::Instant last_;
  };

  static FakeWallClock& wall_clock() {
    static const TemporaryFolder folder;
    static FakeWallClock clock(folder.path());
    return clock;
  }
  static RedisServer& server() {
    wall_clock().set(conformance::ManualClock().now());
    static RedisServer server({{}, wall_clock().environment(), 0});
    return server;
  }
  static Options options() {
    Options made;
    made.url = server().url();
    return made;
  }

  Clocked store_{clock, open(options(), clock)};
};

std::unique_ptr<RateLimitStoreFixture> by_servers_time() { return std::make_unique<ServersTime>(); }

class CacheInRedis final : public conformance::CacheFixture {
 public:
  explicit CacheInRedis(std::string url) {
    redis::KeyspaceOptions options;
    options.url = std::move(url);
    options.prefix = own_prefix();
    cache_ = redis::RedisCache::open(options, clock).value();
  }

  ports::Cache& port() override { return *cache_; }
  bool reopen() override { return false; }

 private:
  std::unique_ptr<ports::Cache> cache_;
};

// Servers that all checks share.

std::string one_server() {
  static const RedisServer server({{"--maxmemory", "128mb", "--maxmemory-policy", "volatile-lru"}, {}, 0});
  return server.url();
}

std::string sentinels() {
  static const RedisWithSentinels servers(0);
  return servers.url();
}

std::string cluster() {
  static const RedisCluster servers;
  return servers.url();
}

template <class Made, std::string (*url)()> auto on() { return std::make_unique<Made>(url()); }

const char* missing() { return has_redis() ? nullptr : kNoRedis; }

const char* missing_for_servers_time() { return faketime_library().empty() ? kNoFaketime : missing(); }

using Suite = conformance::Suite<RateLimitStoreFixture>;

/// This server reads its clock from a file, which is slow. Checks that acquire often and do not depend on the clock are
/// left to the other fixtures.
Suite suite_for_servers_time() {
  Suite suite = conformance::rate_limit_store_suite();
  std::erase_if(suite, [](const auto& check) {
    return check.name == "CountsManyClientsSeparately" || check.name == "RacingThreadsGetExactlyTheLimit";
  });
  return suite;
}

const conformance::Suite<RateLimitStoreFixture> kRateLimiter = conformance::rate_limit_store_suite();
const conformance::Suite<conformance::CacheFixture> kCache = conformance::cache_suite();

const bool kRegistered =
    register_contract<RateLimitStoreFixture>("RedisByItsOwnClock", suite_for_servers_time(), by_servers_time,
                                             missing_for_servers_time()) &&
    register_contract<RateLimitStoreFixture>("RedisSingleServer", kRateLimiter, on<CallersTime, one_server>,
                                             missing()) &&
    register_contract<RateLimitStoreFixture>("RedisWithSentinels", kRateLimiter, on<CallersTime, sentinels>,
                                             missing()) &&
    register_contract<RateLimitStoreFixture>("RedisCluster", kRateLimiter, on<CallersTime, cluster>, missing()) &&
    register_contract<conformance::CacheFixture>("RedisSingleServerCache", kCache, on<CacheInRedis, one_server>,
                                                 missing()) &&
    register_contract<conformance::CacheFixture>("RedisClusterCache", kCache, on<CacheInRedis, cluster>, missing());

}  // namespace
}  // namespace kbase::tests
