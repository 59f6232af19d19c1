// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <future>

#include "adapters/redis/channel.hpp"
#include "adapters/redis/connection.hpp"
#include "adapters/redis/location.hpp"
#include "adapters/redis/topology.hpp"
#include "plugins/conformance/fixtures.hpp"
#include "tests/support/outcome.hpp"

namespace kbase::tests {
namespace {
using redis::Commands;
using redis::Endpoint;
using redis::Location;
using redis::Reply;
using redis::ReplyReader;

std::string read_back(std::string_view url) {
  const auto location = Location::parse(url);
  if (!location) return location.error().message;
  std::string text(location->tls ? "tls" : "tcp");
  for (const Endpoint& endpoint : location->endpoints) text += ' ' + endpoint.text();
  return text + " primary=" + location->primary + " database=" + std::to_string(location->database) +
         " user=" + location->username + '/' + location->password;
}

TEST(RedisLocation, NamesOneServer) {
  EXPECT_EQ(read_back("redis://host"), "tcp host:6379 primary= database=0 user=/");
  EXPECT_EQ(read_back("rediss://[::1]:7000/3"), "tls [::1]:7000 primary= database=3 user=/");
  EXPECT_EQ(read_back("redis://me:p%40ss%3a%2F%25@host:1/"), "tcp host:1 primary= database=0 user=me/p@ss:/%");
  EXPECT_EQ(read_back("redis://:pass@host"), "tcp host:6379 primary= database=0 user=/pass");
}

TEST(RedisLocation, NamesSentinelsAndTheirPrimary) {
  EXPECT_EQ(read_back("redis+sentinel://a,b:1,[::2]/main"),
            "tcp a:26379 b:1 [::2]:26379 primary=main database=0 user=/");
  EXPECT_EQ(read_back("rediss+sentinel://a/main/2"), "tls a:26379 primary=main database=2 user=/");
}

TEST(RedisLocation, NamesNodesOfACluster) {
  EXPECT_EQ(read_back("redis+cluster://a,b:1"), "tcp a:6379 b:1 primary= database=0 user=/");
}

TEST(RedisLocation, RejectsInvalidLocationsWithoutQuotingThem) {
  for (const char* url :
       {"", "host", "http://host", "redis://", "redis://host:0", "redis://host:70000", "redis://:hush", "redis://a,b",
        "redis://me:hu/sh@host", "redis://me:hu%zz@host", "redis://me:hu%4", "redis://host/hush", "redis+sentinel://a",
        "redis+cluster://a/1", "redis://[::1]x", "redis://[::1", "redis://[hush]", "redis+cluster://a,,b"}) {
    const auto location = Location::parse(url);
    ASSERT_TRUE(failed(location, ErrorCode::InvalidArgument, "url")) << url;
    EXPECT_EQ(location.error().message.find("hu"), std::string::npos) << location.error().message;
  }
}

// Examples from the specification of key distribution and hash tags, and the test value of the checksum ("123456789").
TEST(RedisSlot, MatchesTheSpecification) {
  EXPECT_EQ(redis::compute_slot("123456789"), 0x31C3);
  EXPECT_EQ(redis::compute_slot("foo"), 12182);
  EXPECT_EQ(redis::compute_slot("{user1000}.following"), redis::compute_slot("{user1000}.followers"));
  EXPECT_EQ(redis::compute_slot("foo{}{bar}"), 8363) << "an empty tag does not count";
  EXPECT_EQ(redis::compute_slot("foo{{bar}}zap"), redis::compute_slot("{bar"));
  EXPECT_EQ(redis::compute_slot("foo{bar}{zap}"), redis::compute_slot("bar"));
}

TEST(RedisReply, IsParsedWhereverItIsSplit) {
  const std::string bytes = "*3\r\n:-7\r\n$3\r\na\r\n\r\n*2\r\n$-1\r\n-ERR no\r\n+OK\r\n";
  for (std::size_t cut = 0; cut <= bytes.size(); ++cut) {
    ReplyReader reader;
    reader.feed(bytes.substr(0, cut));
    auto first = reader.next();
    ASSERT_TRUE(succeeded(first));
    if (*first == nullptr) {
      reader.feed(bytes.substr(cut));
      first = reader.next();
    } else {
      reader.feed(bytes.substr(cut));
    }
    ASSERT_NE(*first, nullptr);
    ASSERT_EQ((*first)->elements.size(), 3U);
    EXPECT_EQ((*first)->elements[0].integer, -7);
    EXPECT_EQ((*first)->elements[1].text, "a\r\n");
    EXPECT_EQ((*first)->elements[2].elements[0].kind, Reply::Kind::Nil);
    EXPECT_TRUE((*first)->elements[2].elements[1].is_error("ERR"));
    EXPECT_EQ(reader.next().value()->text, "OK");
    EXPECT_EQ(reader.next().value(), nullptr);
  }
}

TEST(RedisReply, OfAnotherProtocolIsRejected) {
  ReplyReader reader;
  reader.feed("HTTP/1.1 400 Bad Request\r\n\r\n");
  EXPECT_TRUE(failed(reader.next(), ErrorCode::BadUpstream));
}

TEST(RedisReply, ThatIsTooLargeIsRejected) {
  for (const char* bytes : {"*1048577\r\n", "*2\r\n*1048575\r\n", "*2147483647\r\n"}) {
    ReplyReader reader;
    reader.feed(bytes);
    const auto reply = reader.next();
    ASSERT_TRUE(failed(reply, ErrorCode::BadUpstream)) << bytes;
    EXPECT_EQ(reply.error().detail, "arrays of more than 1048576 elements") << bytes;
  }
  ReplyReader reader;
  const std::string megabyte(std::size_t{1} << 20, 'x');
  reader.feed("$536870912\r\n");
  for (int i = 0; i < 63; ++i) {
    reader.feed(megabyte);
    ASSERT_TRUE(succeeded(reader.next())) << i;
  }
  reader.feed(megabyte);
  EXPECT_TRUE(failed(reader.next(), ErrorCode::BadUpstream));
}

TEST(RedisReply, WithANegativeNumberOfElementsIsRejected) {
  ReplyReader reader;
  reader.feed("*-7\r\n");
  EXPECT_TRUE(failed(reader.next(), ErrorCode::BadUpstream));
}

TEST(RedisReply, IsLimitedInSizeRegardlessOfEarlierReplies) {
  ReplyReader reader;
  for (int i = 0; i < 3; ++i) {
    std::string ones = "*700000\r\n";
    for (int one = 0; one < 700'000; ++one) ones += ":1\r\n";
    reader.feed(ones);
    const auto reply = reader.next();
    ASSERT_TRUE(succeeded(reply));
    EXPECT_EQ((*reply)->elements.size(), 700'000U);
  }
}

TEST(RedisOutgoing, IsSentInPiecesAndInOrder) {
  redis::SendBuffer outgoing;
  std::string sent;
  outgoing.add("abcdefgh");
  for (const std::size_t size : {3U, 2U, 1U}) {
    sent += outgoing.unsent().substr(0, size);
    outgoing.consume(size);
  }
  outgoing.add("ij");
  sent += outgoing.unsent();
  outgoing.consume(outgoing.unsent().size());
  EXPECT_EQ(sent, "abcdefghij");
  EXPECT_TRUE(outgoing.empty());
}

TEST(RedisTls, RejectsAHostThatNoCertificateCanName) {
  const auto context = redis::TlsContext::make({});
  ASSERT_TRUE(succeeded(context));
  EXPECT_THROW(redis::TlsSession(**context, -1, ""), std::invalid_argument);
  EXPECT_THROW(redis::TlsSession(**context, -1, std::string("a.example\0b", 11)), std::invalid_argument);
  EXPECT_NO_THROW(redis::TlsSession(**context, -1, "a.example"));
  EXPECT_NO_THROW(redis::TlsSession(**context, -1, "::1"));
}

/// An object whose destructor waits for another thread that uses the Refreshable object which shared it.
struct SlowDestructor {
  redis::Refreshable<SlowDestructor>& shared;
  std::future<void>& invalidation;
  bool& was_unblocked;
  ~SlowDestructor() {
    invalidation = std::async(std::launch::async, [this_shared = &shared] { this_shared->invalidate(); });
    was_unblocked = invalidation.wait_for(std::chrono::seconds(5)) == std::future_status::ready;
  }
};

TEST(RedisRefreshable, IsUsableWhileTheReplacedObjectIsDestroyed) {
  const conformance::ManualClock clock;
  const ports::Call call;
  const redis::Timeout timeout(call, clock);
  std::future<void> invalidation;
  bool was_unblocked = false;
  redis::Refreshable<SlowDestructor> shared;
  using Created = Result<std::shared_ptr<SlowDestructor>>;
  const auto first = [&](const auto&) -> Created {
    return std::shared_ptr<SlowDestructor>(new SlowDestructor{shared, invalidation, was_unblocked});
  };
  ASSERT_TRUE(succeeded(shared.get(timeout, first)));
  shared.invalidate();
  ASSERT_TRUE(succeeded(shared.get(timeout, [](const auto&) -> Created { return std::shared_ptr<SlowDestructor>(); })));
  EXPECT_TRUE(was_unblocked);
}

TEST(RedisCommands, AcceptAnyBytes) {
  Commands commands;
  commands.add({"SET", std::string_view("a\0\r\n", 4), ""});
  commands.add({"PING"});
  EXPECT_EQ(commands.bytes(), std::string("*3\r\n$3\r\nSET\r\n$4\r\na\0\r\n\r\n$0\r\n\r\n*1\r\n$4\r\nPING\r\n", 43));
  EXPECT_EQ(commands.count(), 2U);
}

TEST(RedisError, NamesTheRemedyAndTheServer) {
  const Endpoint server{"10.0.0.5", 6379};
  const auto said = [&](const char* text) {
    Reply reply;
    reply.kind = Reply::Kind::Error;
    reply.text = text;
    return redis::translate_error(server, reply);
  };
  const Error full = said("OOM command not allowed when used memory > 'maxmemory'.");
  EXPECT_EQ(full.code, ErrorCode::Unavailable);
  EXPECT_NE(full.message.find("raise its maxmemory"), std::string::npos) << full.message;
  EXPECT_EQ(full.message.find("10.0.0.5"), std::string::npos) << "the message is visible to clients";
  EXPECT_EQ(full.detail, "redis 10.0.0.5:6379: OOM command not allowed when used memory > 'maxmemory'.");
  EXPECT_NE(said("LOADING Redis is loading").message.find("loading"), std::string::npos);
  EXPECT_NE(said("READONLY You can't write").message.find("replica"), std::string::npos);
  EXPECT_NE(said("SOMETHING else").message.find("log contains its error message"), std::string::npos);
}

TEST(RedisTimeout, EndsAtTheDeadlineOrTheCancellationOfTheCall) {
  const conformance::ManualClock clock;
  std::atomic<bool> cancelled{false};
  ports::Call call;
  call.cancel = &cancelled;
  const redis::Timeout endless(call, clock);
  EXPECT_FALSE(endless.exhausted());
  cancelled = true;
  EXPECT_EQ(endless.exhausted()->code, ErrorCode::Cancelled);
  cancelled = false;
  call.deadline = clock.steady();
  EXPECT_EQ(redis::Timeout(call, clock).exhausted()->code, ErrorCode::Deadline);
  call.deadline = clock.steady() + std::chrono::hours(1);
  EXPECT_FALSE(redis::Timeout(call, clock).exhausted());
}

}  // namespace
}  // namespace kbase::tests
