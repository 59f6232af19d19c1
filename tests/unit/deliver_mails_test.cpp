// SPDX-License-Identifier: Apache-2.0
#include "domain/usecases/deliver_mails.hpp"

#include <gtest/gtest.h>

#include <atomic>

#include "tests/unit/accounts_fixture.hpp"

namespace kbase::tests {
namespace {

using namespace std::chrono_literals;

class DeliverMails : public AccountsFixture {
 protected:
  void SetUp() override { ASSERT_TRUE(succeeded(manage.sign_up(call, "reader@example.org", client))); }
};

TEST_F(DeliverMails, SendsAMailOnce) {
  EXPECT_NE(deliver(), "");
  EXPECT_EQ(deliver(), "");
  clock.advance(24h);
  EXPECT_EQ(deliver(), "");
  EXPECT_EQ(mailer.attempts, 1);
}

TEST_F(DeliverMails, RepeatsAFailedMailWithTheSameId) {
  mailer.failure = Error{ErrorCode::Unavailable, "away"};
  deliver();
  EXPECT_EQ(mailer.attempts, 1);
  clock.advance(59s);
  deliver();
  EXPECT_EQ(mailer.attempts, 1);
  mailer.failure.reset();
  clock.advance(1s);
  const std::string token = deliver();
  ASSERT_EQ(mailer.sent.size(), 1u);
  EXPECT_TRUE(succeeded(manage.confirm(call, token)));
}

TEST_F(DeliverMails, AnEndOfTheProcessIsNoFailedAttempt) {
  mailer.failure = Error{ErrorCode::Cancelled, "the process ends"};
  const std::atomic<bool> ends = true;
  for (int i = 0; i < 5; ++i) {
    call.cancel = ports::CancelSource(&ends);
    deliver();
    call.cancel = {};
    clock.advance(1h);
  }
  EXPECT_EQ(mailer.attempts, 5);
  EXPECT_EQ(log.last(), "");
  mailer.failure.reset();
  EXPECT_NE(deliver(), "");
}

TEST_F(DeliverMails, GivesUpAfterFiveAttempts) {
  mailer.failure = Error{ErrorCode::Unavailable, "away"};
  for (const auto pause : {0min, 1min, 5min, 30min, 120min}) {
    clock.advance(pause);
    deliver();
  }
  EXPECT_EQ(mailer.attempts, 5);
  EXPECT_TRUE(log.last().starts_with("mail.failed")) << log.last();
  clock.advance(24h);
  deliver();
  EXPECT_EQ(mailer.attempts, 5);
}

TEST_F(DeliverMails, GivesUpARefusedMailAtOnce) {
  mailer.failure = invalid_argument("to", "no such user");
  deliver();
  EXPECT_TRUE(log.last().starts_with("mail.failed")) << log.last();
  EXPECT_EQ(log.flushed(), log.lines().size()) << "a killed process must not lose the only report";
  clock.advance(24h);
  deliver();
  EXPECT_EQ(mailer.attempts, 1);
}

TEST_F(DeliverMails, WritesNoAddressAndNoTokenIntoTheLog) {
  mailer.failure = Error{ErrorCode::Unavailable, "away"};
  deliver();
  ASSERT_EQ(log.lines().size(), 1u);
  EXPECT_TRUE(log.last().starts_with("mail.postponed")) << log.last();
  EXPECT_EQ(log.last().find("reader"), std::string::npos);
  EXPECT_EQ(log.last().find("example.org"), std::string::npos);
}

TEST_F(DeliverMails, ALinkWorksForItsWholeTimeAfterAnOutage) {
  mailer.failure = Error{ErrorCode::Unavailable, "away"};
  deliver();
  clock.advance(1min);
  deliver();
  clock.advance(5min);
  deliver();
  mailer.failure.reset();
  clock.advance(30min);
  const std::string token = deliver();
  clock.advance(29min);
  EXPECT_TRUE(succeeded(manage.confirm(call, token)));
}

TEST_F(DeliverMails, AMailWithoutAResultIsSentAgain) {
  const auto claim = [&] {
    int claimed = 0;
    EXPECT_TRUE(succeeded(store.claim_mails(call, clock.now(), clock.now() + 2min, 1, [&claimed](const auto&) {
      ++claimed;
      return Visit::Continue;
    })));
    return claimed;
  };
  ASSERT_EQ(claim(), 1);  // as by a server that is killed then
  EXPECT_EQ(deliver(), "");
  clock.advance(2min);
  EXPECT_NE(deliver(), "");
}

TEST_F(DeliverMails, DeletesOldMails) {
  deliver();
  clock.advance(1h + 1s);
  EXPECT_TRUE(succeeded(delivery.clean_up(call)));
  EXPECT_TRUE(
      failed(store.update_mail(call, mailer.sent[0].id, model::MailState::Sent, clock.now()), ErrorCode::NotFound));
}

}  // namespace
}  // namespace kbase::tests
