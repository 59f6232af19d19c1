// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <signal.h>

#include <fstream>

#include "adapters/redis/topology.hpp"
#include "plugins/conformance/fixtures.hpp"
#include "tests/adapters/redis_fixture.hpp"
#include "tests/support/eventually.hpp"
#include "tests/support/outcome.hpp"
#include "tests/support/redis_cluster.hpp"
#include "tests/support/redis_sentinel.hpp"
#include "tests/support/tls_identity.hpp"

/// Real Redis servers and their failures.
namespace kbase::tests {
namespace {
using std::chrono::milliseconds;
using std::chrono::seconds;

class RedisServers : public testing::Test {
 protected:
  void SetUp() override {
    if (!has_redis()) GTEST_SKIP() << kNoRedis;
  }

  static std::string message_of(const Status& status) { return status ? "it is healthy" : status.error().message; }
};

TEST_F(RedisServers, ThatAreFrozenBlockNoCallAndAreUsedAfterTheyRecover) {
  const RedisServer server;
  RedisRateLimiter rate_limiter(server.url());
  ASSERT_TRUE(succeeded(rate_limiter.acquire()));
  server.send_signal(SIGSTOP);
  for (int i = 0; i < 5; ++i) EXPECT_TRUE(failed(rate_limiter.acquire_within(milliseconds(50)), ErrorCode::Deadline));
  server.send_signal(SIGCONT);
  ASSERT_TRUE(eventually(seconds(5), [&] { return rate_limiter.acquire_within(milliseconds(50)).has_value(); }));
}

TEST_F(RedisServers, ThatAreKilledAreUsedAfterTheyRestart) {
  RedisServer server;
  RedisRateLimiter rate_limiter(server.url());
  ASSERT_TRUE(succeeded(rate_limiter.acquire()));
  server.kill();
  EXPECT_TRUE(failed(rate_limiter.acquire(), ErrorCode::Unavailable));
  EXPECT_TRUE(failed(rate_limiter.health(), ErrorCode::Unavailable));
  server.start();
  EXPECT_TRUE(succeeded(rate_limiter.health()));
  EXPECT_EQ(rate_limiter.acquire()->minute.remaining, 99U) << "it has lost everything, including the script";
}

TEST_F(RedisServers, ThatAreFullAreReportedAndChargeNothing) {
  const RedisServer server;
  RedisRateLimiter rate_limiter(server.url());
  ASSERT_TRUE(succeeded(rate_limiter.acquire()));
  server.ask({"CONFIG", "SET", "maxmemory", "1"});
  const auto refused = rate_limiter.acquire();
  ASSERT_TRUE(failed(refused, ErrorCode::Unavailable));
  EXPECT_NE(refused.error().message.find("full"), std::string::npos) << refused.error().message;
  EXPECT_NE(message_of(rate_limiter.health()).find("full"), std::string::npos) << message_of(rate_limiter.health());
  server.ask({"CONFIG", "SET", "maxmemory", "0"});
  EXPECT_EQ(rate_limiter.acquire()->minute.remaining, 98U);
}

TEST_F(RedisServers, KeepTheCountsOfADayThatEndsWhileTheClockOfTheCallerStands) {
  const RedisServer server;
  conformance::ManualClock clock;
  clock.set(model::day_of(clock.now()) + std::chrono::days(1) - milliseconds(1));
  redis::Options options = RedisRateLimiter::with_url(server.url());
  options.clock_source = redis::Options::ClockSource::Caller;
  RedisRateLimiter rate_limiter(options, &clock);
  ASSERT_TRUE(succeeded(rate_limiter.acquire({{1}, 1, {}, {0, 1000}})));
  const redis::Reply left = server.ask({"EVAL", "return redis.call('PTTL', redis.call('KEYS', '*')[1])", "0"});
  EXPECT_GT(left.integer, 50'000);
}

TEST_F(RedisServers, ThatAreReplicasAcceptNoRequests) {
  const RedisServer server;
  RedisRateLimiter rate_limiter(server.url());
  ASSERT_TRUE(succeeded(rate_limiter.acquire()));
  server.ask({"REPLICAOF", "127.0.0.1", "1"});
  EXPECT_TRUE(failed(rate_limiter.acquire(), ErrorCode::Unavailable));
  EXPECT_NE(message_of(rate_limiter.health()).find("replica"), std::string::npos) << message_of(rate_limiter.health());
}

TEST_F(RedisServers, AcceptAClientWithThePasswordAndTheDocumentedRights) {
  const RedisServer server({{"--requirepass", "s3cret"}, {}, 0});
  EXPECT_TRUE(failed(RedisRateLimiter(server.url()).acquire(), ErrorCode::Unavailable));
  EXPECT_TRUE(succeeded(RedisRateLimiter("redis://:s3cret@" + server.address()).acquire()));

  RedisClient operator_of(server.port());
  operator_of.ask({"AUTH", "s3cret"});
  operator_of.ask({"ACL", "SETUSER", "kbase", "on", ">pa:ss", "~kbase:*", "+evalsha", "+eval", "+time", "+get",
                   "+getrange", "+set", "+setrange", "+append", "+strlen", "+pexpire", "+role", "+select"});
  RedisRateLimiter rate_limiter("redis://kbase:pa%3ass@" + server.address() + "/1");
  EXPECT_TRUE(succeeded(rate_limiter.health()));
  for (int i = 0; i < 100; ++i) ASSERT_TRUE(succeeded(rate_limiter.acquire()));
}

TEST_F(RedisServers, AreTrustedOverTlsByTheirCertificate) {
  const TlsIdentity identity("localhost");
  const TlsIdentity other_server("localhost");
  const TemporaryFolder folder;
  const auto file = [&](const char* name, const std::string& text) {
    std::ofstream(folder.path() / name) << text;
    return (folder.path() / name).string();
  };
  const std::string certificate = file("certificate", identity.certificate());
  const std::string key = file("key", identity.key());
  const std::uint16_t port = free_port();
  const RedisServer server({{"--tls-port", std::to_string(port), "--tls-cert-file", certificate, "--tls-key-file", key,
                             "--tls-ca-cert-file", certificate},
                            {},
                            0});
  const auto outcome = [&](const std::string& host, const redis::TlsFiles& files) -> std::string {
    redis::Options options = RedisRateLimiter::with_url("rediss://" + host + ":" + std::to_string(port));
    options.tls = files;
    const auto decision = RedisRateLimiter(options).acquire();
    return decision ? "taken" : decision.error().detail;
  };
  EXPECT_EQ(outcome("localhost", {certificate, certificate, key}), "taken");
  EXPECT_NE(outcome("localhost", {certificate, {}, {}}), "taken") << "this server requires a certificate";
  EXPECT_NE(outcome("127.0.0.1", {certificate, certificate, key}).find("mismatch"), std::string::npos);
  EXPECT_NE(outcome("localhost", {file("other", other_server.certificate()), certificate, key}).find("certificate"),
            std::string::npos);

  redis::Options missing = RedisRateLimiter::with_url("rediss://localhost");
  missing.tls.authorities = "/nowhere";
  const system::SystemClock clock;
  EXPECT_TRUE(failed(redis::RedisRateLimitStore::open(missing, clock), ErrorCode::InvalidArgument, "tls_ca"));
}

/// Waits until a replica has everything that was written. WAIT covers only writes of its own connection, so this writes
/// first.
void await_replica(const RedisServer& server) {
  RedisClient client(server.port());
  for (int i = 0; client.ask({"SET", "mark" + std::to_string(i), "written"}).is_error(); ++i)
    ASSERT_LT(i, 50) << "this node owns no key";
  ASSERT_EQ(client.ask({"WAIT", "1", "10000"}).integer, 1);
}

TEST_F(RedisServers, AreFollowedAfterAFailoverOfSentinels) {
  RedisWithSentinels servers(1);
  RedisRateLimiter rate_limiter(servers.url());
  for (int i = 0; i < 10; ++i) ASSERT_TRUE(succeeded(rate_limiter.acquire()));
  await_replica(servers.primary());
  servers.primary().kill();
  EXPECT_FALSE(rate_limiter.acquire_within(milliseconds(50)).has_value());
  ASSERT_TRUE(eventually(seconds(30), [&] { return rate_limiter.health().has_value(); }));
  EXPECT_EQ(rate_limiter.acquire()->minute.remaining, 89U) << "the counts moved along";
}

TEST_F(RedisServers, AreFollowedAfterAFailoverInACluster) {
  RedisCluster cluster(RedisCluster::Replica::OfTheFirst);
  RedisRateLimiter rate_limiter(cluster.url());
  for (std::uint8_t client_id = 0; client_id < 50; ++client_id) ASSERT_TRUE(succeeded(rate_limiter.acquire(client_id)));
  await_replica(cluster.node(0));
  cluster.node(0).kill();
  ASSERT_TRUE(eventually(seconds(30), [&] {
    for (std::uint8_t client_id = 0; client_id < 50; ++client_id)
      if (!rate_limiter.acquire({{client_id}, 1, ports::AcquireRequest::Mode::Peek, {100, 1000}})) return false;
    return true;
  }));
  EXPECT_TRUE(succeeded(rate_limiter.health()));
  for (std::uint8_t client_id = 0; client_id < 50; ++client_id)
    EXPECT_EQ(rate_limiter.acquire(client_id)->minute.remaining, 98U);
}

TEST_F(RedisServers, AreFollowedWhileSlotsMoveInACluster) {
  RedisCluster cluster;
  RedisRateLimiter rate_limiter(cluster.url());
  const std::string key = "kbase:rl:01000000000000000000000000000000";
  const std::string slot = std::to_string(redis::compute_slot(key));
  const std::size_t from = static_cast<std::size_t>(redis::compute_slot(key)) * 3 / redis::kSlots;
  const std::size_t to = (from + 1) % 3;
  const auto everywhere = [&](const std::string& owner) {
    for (std::size_t i = 0; i < 3; ++i) cluster.node(i).ask({"CLUSTER", "SETSLOT", slot, "NODE", owner});
  };
  ASSERT_TRUE(succeeded(rate_limiter.health())) << "each of the three servers accepts a write";
  EXPECT_EQ(rate_limiter.acquire(1)->minute.remaining, 99U);
  cluster.node(to).ask({"CLUSTER", "SETSLOT", slot, "IMPORTING", cluster.id_of(from)});
  cluster.node(from).ask({"CLUSTER", "SETSLOT", slot, "MIGRATING", cluster.id_of(to)});
  EXPECT_EQ(rate_limiter.acquire(1)->minute.remaining, 98U) << "the key has not moved yet";
  cluster.node(from).ask({"MIGRATE", "127.0.0.1", std::to_string(cluster.node(to).port()), key, "0", "1000"});
  EXPECT_EQ(rate_limiter.acquire(1)->minute.remaining, 97U) << "it has, and the slot not";
  everywhere(cluster.id_of(to));
  EXPECT_EQ(rate_limiter.acquire(1)->minute.remaining, 96U);
  EXPECT_EQ(rate_limiter.acquire(1)->minute.remaining, 95U);
}

}  // namespace
}  // namespace kbase::tests
