// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <thread>

#include "plugins/conformance/fixtures.hpp"
#include "tests/adapters/redis_fixture.hpp"
#include "tests/support/eventually.hpp"
#include "tests/support/fake_redis.hpp"
#include "tests/support/outcome.hpp"

namespace kbase::tests {
namespace {
using std::chrono::milliseconds;
using std::chrono::seconds;
using Words = FakeRedis::Words;
using Answer = std::optional<std::string>;

TEST(RedisReplies, ThatAreLostAreNotRequestedAgain) {
  std::atomic<int> requests{0};
  FakeRedis dropping([&](const Words&) -> Answer { return ++requests == 2 ? "" : kAdmitted; });
  RedisRateLimiter rate_limiter(dropping.url());
  EXPECT_TRUE(succeeded(rate_limiter.acquire())) << "the connection is open";
  EXPECT_TRUE(failed(rate_limiter.acquire_within(milliseconds(20)), ErrorCode::Deadline));
  EXPECT_TRUE(eventually(seconds(20), [&] { return dropping.received().size() == 2; }));
  dropping.end_connections();
  EXPECT_TRUE(failed(rate_limiter.acquire(), ErrorCode::Unavailable)) << "it is sent on the old connection";
  EXPECT_TRUE(succeeded(rate_limiter.acquire()));
  EXPECT_EQ(dropping.received("EVALSHA"), 3U) << "neither lost acquire is repeated on the new connection";

  FakeRedis leaving([](const Words&) -> Answer { return std::nullopt; });
  RedisRateLimiter other(leaving.url());
  EXPECT_TRUE(failed(other.acquire(), ErrorCode::Unavailable));
  EXPECT_EQ(leaving.received(), std::vector<std::string>{"EVALSHA"});
  EXPECT_TRUE(failed(other.acquire(), ErrorCode::Unavailable)) << "the next acquire uses a new connection";
  EXPECT_EQ(leaving.received("EVALSHA"), 2U);
}

TEST(RedisReplies, ThatAreMissingHoldBackLaterRequests) {
  FakeRedis redis([](const Words&) -> Answer { return ""; });
  RedisRateLimiter rate_limiter(redis.url());
  for (int i = 0; i < 5; ++i) EXPECT_TRUE(failed(rate_limiter.acquire_within(milliseconds(20)), ErrorCode::Deadline));
  EXPECT_EQ(redis.received("EVALSHA"), 2U) << "an abandoned connection drops the queued requests";
}

TEST(RedisReplies, ThatComeTooLateAreNotMatchedWithLaterRequests) {
  std::atomic<int> requests{0};
  std::promise<void> answers;
  FakeRedis late([&](const Words&) -> Answer {
    if (++requests > 1) return kAdmitted;
    answers.get_future().wait();
    return "*5\r\n:1\r\n:1\r\n:1\r\n:1\r\n:1\r\n";
  });
  RedisRateLimiter rate_limiter(late.url());
  EXPECT_TRUE(failed(rate_limiter.acquire_within(milliseconds(20)), ErrorCode::Deadline));
  answers.set_value();
  const auto second = rate_limiter.acquire();
  ASSERT_TRUE(succeeded(second));
  EXPECT_EQ(second->minute.remaining, 9U);
}

TEST(RedisReplies, OfAFailedAcquireReportTheReason) {
  for (const char* error :
       {"LOADING Redis is loading the dataset in memory", "READONLY You can't write against a replica.",
        "OOM command not allowed when used memory > 'maxmemory'.", "CLUSTERDOWN The cluster is down",
        "NOAUTH Authentication required.", "MASTERDOWN Link with MASTER is down", "ERR unheard of"}) {
    FakeRedis redis([&](const Words&) -> Answer { return "-" + std::string(error) + "\r\n"; });
    const auto decision = RedisRateLimiter(redis.url()).acquire();
    ASSERT_TRUE(failed(decision, ErrorCode::Unavailable)) << error;
    EXPECT_EQ(decision.error().detail, "redis " + redis.address() + ": " + error);
    EXPECT_EQ(redis.received().size(), 1U) << error;
  }
}

TEST(RedisReplies, OfAnotherProtocolAreRejected) {
  for (const char* bytes : {"HTTP/1.1 400 Bad Request\r\n\r\n", "+OK\r\n", ":1\r\n", "*1\r\n:1\r\n", "$-1\r\n"}) {
    FakeRedis other_server([&](const Words&) -> Answer { return bytes; });
    EXPECT_TRUE(failed(RedisRateLimiter(other_server.url()).acquire(), ErrorCode::BadUpstream)) << bytes;
  }
}

TEST(RedisReplies, ForManyThreadsShareOneConnection) {
  FakeRedis redis([](const Words& words) -> Answer {
    return "*5\r\n:1\r\n:" + words.at(4) + "\r\n:60000\r\n:1\r\n:1\r\n";  // the cost is returned as remaining
  });
  RedisRateLimiter rate_limiter(redis.url());
  std::atomic<int> wrong{0};
  std::vector<std::thread> threads;
  for (std::uint32_t thread = 0; thread < 16; ++thread)
    threads.emplace_back([&, thread] {
      for (std::uint32_t i = 0; i < 200; ++i) {
        const std::uint32_t cost = thread * 1000 + i;
        const auto decision = rate_limiter.acquire(ports::AcquireRequest{{1}, cost, {}, {100'000, 0}});
        if (!decision || decision->minute.remaining != cost) ++wrong;
      }
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0) << "each acquire receives its own reply";
  EXPECT_EQ(redis.received().size(), 16U * 200);
}

TEST(RedisReplies, ThatNoCallerAwaitsEndTheAcquire) {
  FakeRedis silent([](const Words&) -> Answer { return ""; });
  RedisRateLimiter rate_limiter(silent.url());
  std::atomic<bool> cancelled{false};
  std::thread canceller([&] {
    while (silent.received().empty()) std::this_thread::yield();
    cancelled = true;
  });
  ports::Call call;
  call.cancel = &cancelled;
  EXPECT_TRUE(failed(rate_limiter.acquire(ports::AcquireRequest{{1}, 1, {}, {10, 10}}, call), ErrorCode::Cancelled));
  canceller.join();
}

TEST(RedisConnection, IsNotUsedBeforeAuthentication) {
  FakeRedis redis([](const Words& words) -> Answer {
    if (words[0] == "AUTH") return words == Words{"AUTH", "me", "right"} ? "+OK\r\n" : "-WRONGPASS invalid\r\n";
    return words[0] == "SELECT" ? "+OK\r\n" : kAdmitted;
  });
  redis::Options options = RedisRateLimiter::with_url(redis.url() + "/2");
  options.username = "me";
  options.password = "right";
  EXPECT_TRUE(succeeded(RedisRateLimiter(options).acquire()));
  EXPECT_EQ(redis.received(), (std::vector<std::string>{"AUTH", "SELECT", "EVALSHA"}));
  options.password = "wrong";
  const auto refused = RedisRateLimiter(options).acquire();
  ASSERT_TRUE(failed(refused, ErrorCode::Unavailable));
  EXPECT_NE(refused.error().message.find("password"), std::string::npos);
  EXPECT_EQ((refused.error().message + refused.error().detail).find("wrong\""), std::string::npos);
  EXPECT_EQ(redis.received("EVALSHA"), 1U);
}

TEST(RedisConnection, DoesNotLogThePassword) {
  FakeRedis other_server([](const Words& words) -> Answer {
    return "-ERR unknown command `" + words[0] + "`, with args beginning with: `" + words.back() + "`\r\n";
  });
  redis::Options options = RedisRateLimiter::with_url(other_server.url());
  options.password = "s3cret";
  const auto refused = RedisRateLimiter(options).acquire();
  ASSERT_TRUE(failed(refused, ErrorCode::Unavailable));
  EXPECT_EQ(refused.error().detail, "redis " + other_server.address() + ": ERR to AUTH, SELECT or ROLE");
  EXPECT_NE(refused.error().message.find("check username, password"), std::string::npos) << refused.error().message;
}

/// Longer than the timeout for opening a connection.
constexpr milliseconds kOverdue{1001};

TEST(RedisConnection, WhoseOpeningStalledUnobservedIsReopenedForTheNextAcquire) {
  std::atomic<bool> has_auth{false};
  FakeRedis redis([&](const Words& words) -> Answer {
    if (words[0] == "AUTH") return has_auth.exchange(true) ? "+OK\r\n" : "";
    return kAdmitted;
  });
  conformance::ManualClock clock;
  RedisRateLimiter rate_limiter(RedisRateLimiter::with_url("redis://:right@" + redis.address()), &clock);
  EXPECT_TRUE(failed(rate_limiter.acquire_until(has_auth), ErrorCode::Cancelled));
  clock.advance(kOverdue);
  EXPECT_TRUE(succeeded(rate_limiter.acquire_within(seconds(20))));
  EXPECT_EQ(redis.received(), (std::vector<std::string>{"AUTH", "AUTH", "EVALSHA"}));
}

TEST(RedisConnection, WithAnOverdueReplyIsClosed) {
  std::atomic<bool> has_request{false};
  std::atomic<bool> answers{false};
  FakeRedis redis([&](const Words&) -> Answer {
    has_request = true;
    return answers ? kAdmitted : "";
  });
  conformance::ManualClock clock;
  RedisRateLimiter rate_limiter(RedisRateLimiter::with_url(redis.url()), &clock);
  EXPECT_TRUE(failed(rate_limiter.acquire_until(has_request), ErrorCode::Cancelled));
  clock.advance(milliseconds(2001));
  const auto waiting = rate_limiter.acquire_within(seconds(20));
  ASSERT_TRUE(failed(waiting, ErrorCode::Unavailable));
  EXPECT_NE(waiting.error().detail.find("two seconds"), std::string::npos) << waiting.error().detail;
  answers = true;
  EXPECT_TRUE(succeeded(rate_limiter.acquire_within(seconds(20))));
}

TEST(RedisConnection, WhoseOpeningProgressesIsNotOverdueEvenIfRarelyPolled) {
  std::promise<void> accepts_login;
  std::promise<void> selects;
  std::atomic<bool> has_auth{false};
  FakeRedis redis([&](const Words& words) -> Answer {
    if (words[0] == "AUTH") {
      has_auth = true;
      accepts_login.get_future().wait();
    }
    if (words[0] == "SELECT") selects.get_future().wait();
    return words[0] == "EVALSHA" ? kAdmitted : "+OK\r\n";
  });
  conformance::ManualClock clock;
  RedisRateLimiter rate_limiter(RedisRateLimiter::with_url("redis://:right@" + redis.address() + "/1"), &clock);
  EXPECT_TRUE(failed(rate_limiter.acquire_until(has_auth), ErrorCode::Cancelled));
  accepts_login.set_value();
  ASSERT_TRUE(eventually(seconds(20), [&] { return redis.received("SELECT") == 1; })) << "AUTH is answered";
  clock.advance(kOverdue);
  EXPECT_TRUE(failed(rate_limiter.acquire_within(milliseconds(50)), ErrorCode::Deadline)) << "it has completed half";
  selects.set_value();
  EXPECT_TRUE(succeeded(rate_limiter.acquire_within(seconds(20))));
  EXPECT_EQ(redis.received(), (std::vector<std::string>{"AUTH", "SELECT", "EVALSHA"})) << "it is the first connection";
}

TEST(RedisConnection, IsReopenedIfTheServerClosedItWhileIdle) {
  FakeRedis redis([](const Words&) -> Answer { return kAdmitted; });
  RedisRateLimiter rate_limiter(redis.url());
  for (int i = 0; i < 3; ++i) {
    EXPECT_TRUE(succeeded(rate_limiter.acquire()));
    redis.end_connections();
  }
  EXPECT_EQ(redis.received("EVALSHA"), 3U);
}

TEST(RedisConnection, ThatCannotBeOpenedIsReportedInTime) {
  const std::uint16_t unused_port = [] { return FakeRedis([](const Words&) -> Answer { return ""; }).port(); }();
  const auto decision = RedisRateLimiter("redis://127.0.0.1:" + std::to_string(unused_port)).acquire();
  ASSERT_TRUE(failed(decision, ErrorCode::Unavailable));
  EXPECT_NE(decision.error().detail.find("Connection refused"), std::string::npos) << decision.error().detail;
  const auto unknown = RedisRateLimiter("redis://no-such-host.invalid").acquire_within(std::chrono::seconds(20));
  ASSERT_TRUE(failed(unknown, ErrorCode::Unavailable));
}

TEST(RedisConnection, IsOpenedByHostName) {
  FakeRedis redis([](const Words&) -> Answer { return kAdmitted; });
  EXPECT_TRUE(succeeded(RedisRateLimiter("redis://localhost:" + std::to_string(redis.port())).acquire()));
}

/// The reply to "CLUSTER SLOTS" of a cluster with all slots on one node.
std::string all_slots_at(std::uint16_t port) {
  return "*1\r\n*3\r\n:0\r\n:16383\r\n*2\r\n$9\r\n127.0.0.1\r\n:" + std::to_string(port) + "\r\n";
}

/// Two nodes. `first` is the reply of one node to an acquire whose key the other node has.
struct TwoNodes {
  explicit TwoNodes(std::function<std::string(std::uint16_t other)> first)
      : other([](const Words& words) -> Answer { return words[0] == "ASKING" ? "+OK\r\n" : kAdmitted; }),
        node([this, first](const Words& words) -> Answer {
          return words[0] == "CLUSTER" ? all_slots_at(node.port()) : first(other.port());
        }) {}
  FakeRedis other;
  FakeRedis node;
};

TEST(RedisCluster, IsFollowedToTheNodeWithTheKey) {
  TwoNodes nodes([](std::uint16_t other) { return "-MOVED 42 127.0.0.1:" + std::to_string(other) + "\r\n"; });
  RedisRateLimiter rate_limiter("redis+cluster://" + nodes.node.address());
  EXPECT_TRUE(succeeded(rate_limiter.acquire()));
  EXPECT_EQ(nodes.other.received(), std::vector<std::string>{"EVALSHA"});
  EXPECT_TRUE(succeeded(rate_limiter.acquire()));
  EXPECT_EQ(nodes.node.received("CLUSTER"), 2U) << "a MOVED reply makes the client read the slots again";
}

TEST(RedisCluster, AnswersForAKeyThatIsBeingMoved) {
  TwoNodes nodes([](std::uint16_t other) { return "-ASK 42 :" + std::to_string(other) + "\r\n"; });
  RedisRateLimiter rate_limiter("redis+cluster://" + nodes.node.address());
  EXPECT_TRUE(succeeded(rate_limiter.acquire()));
  EXPECT_EQ(nodes.other.received(), (std::vector<std::string>{"ASKING", "EVALSHA"}));
  EXPECT_TRUE(succeeded(rate_limiter.acquire()));
  EXPECT_EQ(nodes.node.received("CLUSTER"), 1U) << "the key still belongs to the first node";
}

TEST(RedisCluster, WithARedirectLoopIsUnavailable) {
  std::uint16_t self = 0;
  TwoNodes nodes([&](std::uint16_t) { return "-MOVED 42 127.0.0.1:" + std::to_string(self) + "\r\n"; });
  self = nodes.node.port();
  EXPECT_TRUE(failed(RedisRateLimiter("redis+cluster://" + nodes.node.address()).acquire(), ErrorCode::Unavailable));
  EXPECT_EQ(nodes.node.received("EVALSHA"), 5U);
}

TEST(RedisCluster, WithoutSlotsIsReported) {
  FakeRedis node([](const Words&) -> Answer { return "*0\r\n"; });
  const auto decision = RedisRateLimiter("redis+cluster://" + node.address()).acquire();
  ASSERT_TRUE(failed(decision, ErrorCode::Unavailable));
  EXPECT_NE(decision.error().message.find("serves no slot"), std::string::npos) << decision.error().message;
}

TEST(RedisSentinels, AreQueriedInTurnUntilOneResponds) {
  FakeRedis primary([](const Words& words) -> Answer {
    return words[0] == "ROLE" ? "*3\r\n$6\r\nmaster\r\n:0\r\n*0\r\n" : kAdmitted;
  });
  FakeRedis uninformed([](const Words&) -> Answer { return "*-1\r\n"; });
  FakeRedis silent([](const Words&) -> Answer { return ""; });
  FakeRedis informed([&](const Words&) -> Answer {
    const std::string port = std::to_string(primary.port());
    return "*2\r\n$9\r\n127.0.0.1\r\n$" + std::to_string(port.size()) + "\r\n" + port + "\r\n";
  });
  EXPECT_TRUE(succeeded(
      RedisRateLimiter("redis+sentinel://" + uninformed.address() + "," + informed.address() + "/main").acquire()));
  RedisRateLimiter patient("redis+sentinel://" + silent.address() + "," + informed.address() + "/main");
  EXPECT_TRUE(failed(patient.acquire_within(milliseconds(30)), ErrorCode::Deadline));
  EXPECT_TRUE(succeeded(patient.acquire_within(milliseconds(500))))
      << "a silent sentinel is queried last the next time";
  const auto unknown = RedisRateLimiter("redis+sentinel://" + uninformed.address() + "/main").acquire();
  ASSERT_TRUE(failed(unknown, ErrorCode::Unavailable));
  EXPECT_NE(unknown.error().detail.find("main"), std::string::npos) << unknown.error().detail;
}

TEST(RedisSentinels, ThatNameAReplicaAreQueriedAgain) {
  std::atomic<bool> is_promoted{false};
  FakeRedis server([&](const Words& words) -> Answer {
    if (words[0] != "ROLE") return kAdmitted;
    return is_promoted ? "*3\r\n$6\r\nmaster\r\n:0\r\n*0\r\n"
                       : "*5\r\n$5\r\nslave\r\n$1\r\na\r\n:1\r\n$4\r\nsync\r\n:0\r\n";
  });
  FakeRedis sentinel([&](const Words&) -> Answer {
    const std::string port = std::to_string(server.port());
    return "*2\r\n$9\r\n127.0.0.1\r\n$" + std::to_string(port.size()) + "\r\n" + port + "\r\n";
  });
  RedisRateLimiter rate_limiter("redis+sentinel://" + sentinel.address() + "/main");
  EXPECT_TRUE(failed(rate_limiter.acquire(), ErrorCode::Unavailable));
  EXPECT_EQ(server.received("EVALSHA"), 0U) << "no acquire is sent to a replica";
  is_promoted = true;
  EXPECT_TRUE(succeeded(rate_limiter.acquire()));
  EXPECT_EQ(sentinel.received().size(), 2U);
}

}  // namespace
}  // namespace kbase::tests
