// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <chrono>
#include <string>

#include "adapters/curl/request.hpp"
#include "adapters/curl/upstream_service.hpp"
#include "tests/support/counting_random.hpp"
#include "tests/support/outcome.hpp"

namespace kbase::tests {
namespace {

using namespace std::chrono_literals;
using curl::Breaker;
using curl::HeadParser;
using curl::Verdict;
using Kind = curl::Breaker::Pass::Kind;

constexpr model::Instant kNow{std::chrono::sys_days(std::chrono::year(2026) / 3 / 14) + 12h};

curl::Head head_of(std::uint32_t status, const std::string& retry_after = {}) {
  curl::Head head{status, {}};
  if (!retry_after.empty()) head.fields.push_back({"retry-after", retry_after});
  return head;
}

TEST(ResponsePipe, HasNoCapacityUntilItsReaderTookTheBufferedData) {
  curl::ResponsePipe pipe({});
  const std::string half(curl::ResponsePipe::kPauseBytes / 2, 'x');
  std::string buffer = half + half;
  EXPECT_EQ(pipe.put_body(half), curl::ResponsePipe::PutResult::HasSpace);
  EXPECT_EQ(pipe.put_body(half), curl::ResponsePipe::PutResult::Full);
  EXPECT_FALSE(pipe.take_resume_request());
  EXPECT_TRUE(pipe.read(buffer)->resumes);
  EXPECT_EQ(buffer, half + half);
  EXPECT_TRUE(pipe.take_resume_request());
  EXPECT_FALSE(pipe.take_resume_request());
  EXPECT_EQ(pipe.put_body("y"), curl::ResponsePipe::PutResult::HasSpace);
  pipe.end();
  EXPECT_FALSE(pipe.read(buffer)->resumes);
  EXPECT_EQ(pipe.read(buffer)->bytes, 0U);
}

TEST(ResponsePipe, ReturnsAsMuchAsTheBufferOfTheReaderHolds) {
  curl::ResponsePipe pipe({});
  std::string buffer(2, '-');
  pipe.put_body("abc");
  EXPECT_EQ(pipe.read(buffer)->bytes, 2U);
  EXPECT_EQ(buffer, "ab");
  pipe.put_body("d");
  EXPECT_EQ(pipe.read(buffer)->bytes, 2U);
  EXPECT_EQ(buffer, "cd");
  pipe.end();
  EXPECT_EQ(pipe.read(buffer)->bytes, 0U);
}

TEST(ResponsePipe, HasNoCapacityUntilItsReaderReachesTheEnd) {
  curl::ResponsePipe pipe({});
  std::string buffer(curl::ResponsePipe::kPauseBytes, '-');
  EXPECT_EQ(pipe.put_body(buffer + "x"), curl::ResponsePipe::PutResult::Full);
  EXPECT_FALSE(pipe.read(buffer)->resumes);
  EXPECT_FALSE(pipe.take_resume_request());
  EXPECT_TRUE(pipe.read(buffer)->resumes);
}

TEST(ResponsePipe, ReturnsDataReceivedBeforeAFailureUnlessTheDeadlineHasPassed) {
  for (const auto code : {ErrorCode::BadUpstream, ErrorCode::Deadline, ErrorCode::Cancelled}) {
    curl::ResponsePipe pipe({});
    std::string buffer(1, '-');
    pipe.put_body("x");
    pipe.fail(error_of(code));
    EXPECT_EQ(pipe.read(buffer).has_value(), code == ErrorCode::BadUpstream);
    EXPECT_TRUE(failed(pipe.read(buffer), code));
    EXPECT_TRUE(failed(pipe.head(), code));
  }
}

TEST(Jitter, IsBetweenHalfAndTheWholePause) {
  CountingRandom random;
  for (int i = 0; i < 1000; ++i) {
    const auto span = curl::add_jitter(1000ms, random);
    EXPECT_GE(span, 500ms);
    EXPECT_LE(span, 1000ms);
  }
}

TEST(Breaker, OpensOnlyAfterConsecutiveFailures) {
  CountingRandom random;
  Breaker breaker({3, 1000ms, 8000ms}, random);
  const Breaker::Time now{};
  for (const Verdict verdict : {Verdict::Bad, Verdict::Bad, Verdict::Good, Verdict::Bad, Verdict::None, Verdict::Bad}) {
    EXPECT_EQ(breaker.state(), Breaker::State::Closed);
    breaker.report(breaker.admit(now), verdict, now);
  }
  EXPECT_EQ(breaker.state(), Breaker::State::Closed);
  breaker.report(breaker.admit(now), Verdict::Bad, now);
  EXPECT_EQ(breaker.state(), Breaker::State::Open);
}

TEST(Breaker, AllowsOneTrialAtATime) {
  CountingRandom random;
  Breaker breaker({1, 1000ms, 8000ms}, random);
  Breaker::Time now{};
  const Breaker::Pass early = breaker.admit(now);
  breaker.report(breaker.admit(now), Verdict::Bad, now);
  EXPECT_EQ(breaker.admit(now).kind, Kind::Refused);
  now += 1000ms;
  Breaker::Pass trial = breaker.admit(now);
  EXPECT_EQ(trial.kind, Kind::Trial);
  EXPECT_EQ(breaker.admit(now).kind, Kind::Refused);
  EXPECT_GT(breaker.admit(now).retry_after, 0ms);
  breaker.report(early, Verdict::Good, now);  // sent before the breaker opened, so it proves nothing
  EXPECT_EQ(breaker.admit(now).kind, Kind::Refused);

  breaker.report(trial, Verdict::None, now);
  trial = breaker.admit(now);
  EXPECT_EQ(trial.kind, Kind::Trial);
  breaker.report(trial, Verdict::Good, now);
  EXPECT_EQ(breaker.admit(now).kind, Kind::Ordinary);
}

TEST(Breaker, DoublesItsPauseAfterEachFailedTrial) {
  CountingRandom random;
  Breaker breaker({1, 1000ms, 4000ms}, random);
  Breaker::Time now{};
  breaker.report(breaker.admit(now), Verdict::Bad, now);
  for (const auto longest : {1000ms, 2000ms, 4000ms, 4000ms}) {
    EXPECT_GE(breaker.pause(), longest / 2);
    EXPECT_LE(breaker.pause(), longest);
    now += longest;
    breaker.report(breaker.admit(now), Verdict::Bad, now);
  }
}

/// A breaker that three failures opened and whose trial request has received the start of a response.
class HalfOpenBreaker : public testing::Test {
 protected:
  HalfOpenBreaker() {
    for (int i = 0; i < 3; ++i) report(Verdict::Bad);
    now_ += 1000ms;
    trial_ = breaker_.admit(now_);
    breaker_.begin_response(trial_);
  }

  void report(Verdict verdict) { breaker_.report(breaker_.admit(now_), verdict, now_); }

  CountingRandom random_;
  Breaker breaker_{{3, 1000ms, 8000ms}, random_};
  Breaker::Time now_{};
  const Breaker::Pass early_ = breaker_.admit(now_);
  Breaker::Pass trial_;
};

TEST_F(HalfOpenBreaker, CountsTheFirstFailureAsThatOfTheTrial) {
  report(Verdict::None);
  EXPECT_EQ(breaker_.state(), Breaker::State::Closed);
  breaker_.report(trial_, Verdict::Bad, now_);
  EXPECT_EQ(breaker_.state(), Breaker::State::Open);
  EXPECT_GE(breaker_.pause(), 1000ms) << "twice the previous pause";
}

TEST_F(HalfOpenBreaker, IgnoresRequestsThatBeganBeforeItOpened) {
  breaker_.report(early_, Verdict::Bad, now_);
  EXPECT_EQ(breaker_.state(), Breaker::State::Closed);
}

TEST_F(HalfOpenBreaker, ToleratesFailuresAsBeforeAfterASuccess) {
  for (const Verdict verdict : {Verdict::Good, Verdict::Bad, Verdict::Bad}) report(verdict);
  EXPECT_EQ(breaker_.state(), Breaker::State::Closed);
  breaker_.report(trial_, Verdict::Bad, now_);
  EXPECT_EQ(breaker_.state(), Breaker::State::Open);
}

TEST(Retry, DoublesItsPauseUntilTheLastAttempt) {
  CountingRandom random;
  const curl::RetryOptions options{3, 100ms, 5000ms};
  curl::Retry retry(options, random);
  for (const auto longest : {100ms, 200ms, 400ms}) {
    const auto pause = retry.after_failure();
    ASSERT_TRUE(pause);
    EXPECT_GE(*pause, longest / 2);
    EXPECT_LE(*pause, longest);
    retry.count();
  }
  EXPECT_FALSE(retry.after_failure());
}

TEST(Retry, RepeatsTemporaryFailures) {
  CountingRandom random;
  const curl::RetryOptions options{3, 100ms, 5000ms};
  const curl::Retry retry(options, random);
  for (const std::uint32_t status : {502U, 503U, 504U}) EXPECT_TRUE(retry.after_response(head_of(status), kNow));
  for (const std::uint32_t status : {200U, 304U, 400U, 403U, 404U, 429U, 500U, 501U})
    EXPECT_FALSE(retry.after_response(head_of(status), kNow)) << status;
  EXPECT_FALSE(retry.after_response(head_of(403, "1"), kNow));
}

TEST(Retry, NeverComesBeforeTheRequestedTime) {
  CountingRandom random;
  const curl::RetryOptions options{3, 100ms, 5000ms};
  const curl::Retry retry(options, random);
  EXPECT_GE(retry.after_response(head_of(429, "2"), kNow), 2000ms);
  EXPECT_LE(retry.after_response(head_of(429, "2"), kNow), 2100ms);
  EXPECT_GE(retry.after_response(head_of(503, "Sat, 14 Mar 2026 12:00:03 GMT"), kNow), 3000ms);
  EXPECT_LE(retry.after_response(head_of(503, "Sat, 14 Mar 2026 11:00:00 GMT"), kNow), 100ms);
  EXPECT_LE(retry.after_response(head_of(503, "-5"), kNow), 100ms);
  EXPECT_FALSE(retry.after_response(head_of(503, "6"), kNow));
  EXPECT_FALSE(retry.after_response(head_of(429, "9223372036854775807"), kNow));
  EXPECT_FALSE(retry.after_response(head_of(429, "soon"), kNow));
}

TEST(HeadParser, CountsEveryLineUpToTheLimit) {
  HeadParser parser(60);
  EXPECT_EQ(parser.parse_line("HTTP/1.1 100 Continue\r\n"), HeadParser::Step::More);  // 23 bytes
  EXPECT_EQ(parser.parse_line("\r\n"), HeadParser::Step::More);
  EXPECT_EQ(parser.parse_line("HTTP/1.1 200 OK\r\n"), HeadParser::Step::More);  // 17 bytes
  EXPECT_EQ(parser.parse_line("A: b\r\n"), HeadParser::Step::More);
  EXPECT_EQ(parser.parse_line("\r\n"), HeadParser::Step::Complete);
  EXPECT_EQ(parser.parse_line("Trailer: c\r\n"), HeadParser::Step::TooLarge);
  EXPECT_EQ(parser.head().status, 200U);
  EXPECT_EQ(parser.head().fields.size(), 1U);
}

TEST(HeadParser, RejectsAnInvalidHead) {
  EXPECT_EQ(HeadParser(100).parse_line("HTTP/1.1 OK\r\n"), HeadParser::Step::Malformed);
  EXPECT_EQ(HeadParser(100).parse_line("HTTP/1.1 20\r\n"), HeadParser::Step::Malformed);
  EXPECT_EQ(HeadParser(100).parse_line("HTTP/1.1\r\n"), HeadParser::Step::Malformed);
  EXPECT_EQ(HeadParser(100).parse_line("\r\n"), HeadParser::Step::Malformed);
  for (const char* const line : {"no colon\r\n", ": no name\r\n", " folded to nothing\r\n"}) {
    HeadParser parser(100);
    EXPECT_EQ(parser.parse_line("HTTP/1.1 200 OK\r\n"), HeadParser::Step::More);
    EXPECT_EQ(parser.parse_line(line), HeadParser::Step::Malformed) << line;
  }
}

}  // namespace
}  // namespace kbase::tests
