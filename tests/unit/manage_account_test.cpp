// SPDX-License-Identifier: Apache-2.0
#include "domain/usecases/manage_account.hpp"

#include <gtest/gtest.h>

#include <set>

#include "tests/unit/accounts_fixture.hpp"

namespace kbase::tests {
namespace {

using namespace std::chrono_literals;
using model::AccountState;

class ManageAccount : public AccountsFixture {};

class ApprovedAccounts : public AccountsFixture {
 protected:
  ApprovedAccounts() : AccountsFixture({true, "developer", 2, {}}) {}
};

class AccountsOfADomain : public AccountsFixture {
 protected:
  AccountsOfADomain() : AccountsFixture({false, "developer", 2, {"example.org", "example.com"}}) {}
};

TEST_F(ManageAccount, SignsUpByALink) {
  ASSERT_TRUE(succeeded(manage.sign_up(call, "Reader@Example.ORG", client)));
  const std::string token = deliver();
  ASSERT_EQ(mailer.sent.size(), 1u);
  EXPECT_EQ(mailer.sent[0].to, "Reader@example.org");
  EXPECT_EQ(token.size(), 64u);
  const auto session = manage.confirm(call, token);
  ASSERT_TRUE(succeeded(session));
  const auto report = manage.report(call, session->text);
  ASSERT_TRUE(succeeded(report));
  EXPECT_EQ(report->account.email, "Reader@example.org");
  EXPECT_EQ(report->account.plan, "developer");
  EXPECT_EQ(report->account.state, AccountState::Active);
  EXPECT_TRUE(report->keys.empty());
}

TEST_F(ManageAccount, RefusesWhatIsNotAnAddress) {
  for (const std::string text : {"", "reader", "@example.org", "reader@", "reader@example", "a b@example.org",
                                 "reader@exa mple.org", "\"a b\"@example.org", "reader@[127.0.0.1]", "a..b@example.org",
                                 ".a@example.org", "a@example.org\r\nBcc: x@y.z", "a@b@example.org", "a@example.org\n",
                                 "<a@example.org>", "a@.org", "a@example..org"})
    EXPECT_TRUE(failed(manage.sign_up(call, text, client), ErrorCode::InvalidArgument, "email")) << text;
  EXPECT_TRUE(
      failed(manage.sign_in(call, std::string(65, 'a') + "@example.org", client), ErrorCode::InvalidArgument, "email"));
  EXPECT_TRUE(
      failed(manage.sign_in(call, "a@" + std::string(260, 'a') + ".org", client), ErrorCode::InvalidArgument, "email"));
}

TEST_F(ManageAccount, ALinkWorksOnceWithinItsTime) {
  ASSERT_TRUE(succeeded(manage.sign_up(call, "reader@example.org", client)));
  const std::string token = deliver();
  EXPECT_TRUE(succeeded(manage.confirm(call, token)));
  EXPECT_TRUE(failed(manage.confirm(call, token), ErrorCode::NotFound));

  ASSERT_TRUE(succeeded(manage.sign_in(call, "reader@example.org", client)));
  const std::string late = deliver();
  clock.advance(30min);
  EXPECT_TRUE(failed(manage.confirm(call, late), ErrorCode::NotFound));
  EXPECT_TRUE(failed(manage.confirm(call, ""), ErrorCode::NotFound));
  EXPECT_TRUE(failed(manage.confirm(call, std::string(64, 'a')), ErrorCode::NotFound));
}

TEST_F(ManageAccount, ASecondSignUpSignsIn) {
  signed_up();
  const model::Account account = only_account();
  ASSERT_TRUE(succeeded(manage.sign_up(call, "reader@example.org", client)));
  const auto session = manage.confirm(call, deliver());
  ASSERT_TRUE(succeeded(session));
  EXPECT_EQ(only_account().id, account.id);
}

TEST_F(ManageAccount, TwoLinksOfOneAddressMakeOneAccount) {
  ASSERT_TRUE(succeeded(manage.sign_up(call, "reader@example.org", client)));
  const std::string first = deliver();
  ASSERT_TRUE(succeeded(manage.sign_up(call, "reader@example.org", client)));
  const std::string second = deliver();
  EXPECT_TRUE(succeeded(manage.confirm(call, first)));
  EXPECT_TRUE(succeeded(manage.confirm(call, second)));
  only_account();
}

TEST_F(ManageAccount, SendsNothingToAnUnknownAddressThatSignsIn) {
  EXPECT_TRUE(succeeded(manage.sign_in(call, "reader@example.org", client)));
  EXPECT_EQ(deliver(), "");
  EXPECT_EQ(mailer.attempts, 0);
}

TEST_F(ManageAccount, SendsThreeMailsAnHourToAnAddress) {
  for (int i = 0; i < 5; ++i) {
    client = "192.0.2." + std::to_string(i);
    EXPECT_TRUE(succeeded(manage.sign_up(call, "reader@example.org", client)));
    clock.advance(1min);
  }
  deliver();
  EXPECT_EQ(mailer.sent.size(), 3u);
  clock.advance(1h);
  EXPECT_TRUE(succeeded(manage.sign_up(call, "reader@example.org", client)));
  deliver();
  EXPECT_EQ(mailer.sent.size(), 4u);
}

TEST_F(ManageAccount, LetsAClientSignUpFiveTimesAnHour) {
  for (int i = 0; i < 7; ++i)
    EXPECT_TRUE(succeeded(manage.sign_up(call, "reader" + std::to_string(i) + "@example.org", client)));
  deliver();
  EXPECT_EQ(mailer.sent.size(), 5u);
}

TEST_F(ManageAccount, ASessionEndsTwelveHoursAfterItsLastUse) {
  const std::string session = signed_up();
  for (int i = 0; i < 4; ++i) {
    clock.advance(11h);
    EXPECT_TRUE(succeeded(manage.report(call, session)));
  }
  clock.advance(12h);
  EXPECT_TRUE(failed(manage.report(call, session), ErrorCode::NotFound));
}

TEST_F(ManageAccount, ASessionEndsAWeekAfterItBegan) {
  const std::string session = signed_up();
  for (int i = 0; i < 7 * 24 / 6 - 1; ++i) {
    clock.advance(6h);
    ASSERT_TRUE(succeeded(manage.report(call, session))) << i;
  }
  clock.advance(6h);
  EXPECT_TRUE(failed(manage.report(call, session), ErrorCode::NotFound));
}

TEST_F(ManageAccount, AllSessionsOfAnAccountCanBeEnded) {
  const std::string session = signed_up();
  ASSERT_TRUE(succeeded(manage.sign_in(call, "reader@example.org", client)));
  const auto other = manage.confirm(call, deliver());
  ASSERT_TRUE(succeeded(other));
  EXPECT_TRUE(succeeded(manage.end_sessions(call, other->text)));
  for (const std::string& ended : {session, other->text})
    EXPECT_TRUE(failed(manage.report(call, ended), ErrorCode::NotFound));
  EXPECT_TRUE(failed(manage.end_sessions(call, session), ErrorCode::NotFound));
}

TEST_F(ManageAccount, ASessionCanBeEnded) {
  const std::string session = signed_up();
  EXPECT_TRUE(succeeded(manage.end_session(call, session)));
  EXPECT_TRUE(failed(manage.report(call, session), ErrorCode::NotFound));
  EXPECT_TRUE(failed(manage.create_key(call, session, "key"), ErrorCode::NotFound));
  EXPECT_TRUE(failed(manage.report(call, ""), ErrorCode::NotFound));
}

TEST_F(ManageAccount, KeysOfAnAccountWorkAtOnce) {
  const std::string session = signed_up();
  const auto issued = manage.create_key(call, session, "my site");
  ASSERT_TRUE(succeeded(issued));
  EXPECT_TRUE(authenticates(issued->text));
  EXPECT_EQ(issued->key.plan, "developer");
  EXPECT_FALSE(model::has_scope(issued->key.scopes, model::Scope::Write));
  EXPECT_EQ(issued->key.account, only_account().id);
}

TEST_F(ManageAccount, AnAccountHasAsManyKeysAsConfigured) {
  const std::string session = signed_up();
  EXPECT_TRUE(succeeded(manage.create_key(call, session, "one")));
  const auto second = manage.create_key(call, session, "two");
  ASSERT_TRUE(succeeded(second));
  EXPECT_TRUE(failed(manage.create_key(call, session, "three"), ErrorCode::Conflict));
  EXPECT_TRUE(succeeded(manage.remove_key(call, session, second->key.id)));
  EXPECT_TRUE(succeeded(manage.create_key(call, session, "three")));
}

TEST_F(ManageAccount, ARotatedKeyHasANewText) {
  const std::string session = signed_up();
  const auto issued = manage.create_key(call, session, "my site");
  ASSERT_TRUE(succeeded(issued));
  const auto rotated = manage.rotate_key(call, session, issued->key.id);
  ASSERT_TRUE(succeeded(rotated));
  EXPECT_NE(rotated->text, issued->text);
  EXPECT_TRUE(authenticates(rotated->text));
  EXPECT_TRUE(authenticates(issued->text));
  clock.advance(24h);
  EXPECT_FALSE(authenticates(issued->text));
}

TEST_F(ManageAccount, ARemovedKeyIsForgotten) {
  const std::string session = signed_up();
  const auto issued = manage.create_key(call, session, "my site");
  ASSERT_TRUE(succeeded(issued));
  EXPECT_TRUE(succeeded(manage.remove_key(call, session, issued->key.id)));
  EXPECT_FALSE(authenticates(issued->text));
  const auto report = manage.report(call, session);
  ASSERT_TRUE(succeeded(report));
  EXPECT_TRUE(report->keys.empty());
}

TEST_F(ManageAccount, DeletedKeysGiveNoNewLimits) {
  const std::string session = signed_up();
  int created = 0;
  for (; created < 100; ++created) {
    const auto issued = manage.create_key(call, session, "again");
    if (!issued) break;
    EXPECT_TRUE(succeeded(manage.remove_key(call, session, issued->key.id)));
    EXPECT_TRUE(failed(manage.remove_key(call, session, issued->key.id), ErrorCode::NotFound, "id"));
  }
  EXPECT_EQ(created, 6) << "three times the number of keys";
  clock.advance(24h);
  const std::string next_day = signed_up();
  EXPECT_TRUE(succeeded(manage.create_key(call, next_day, "again")));
  int stored = 0;
  EXPECT_TRUE(succeeded(keys.list(call, [&stored](const model::ApiKey&) {
    ++stored;
    return Visit::Continue;
  })));
  EXPECT_EQ(stored, 1) << "keys that ended before today are forgotten";
}

TEST_F(ManageAccount, KeysOfOthersAreUnknown) {
  const std::string session = signed_up();
  const auto other = manage.create_key(call, signed_up("other@example.org"), "other");
  const auto operators_key = administration.create(call, {"operator", "developer"});
  ASSERT_TRUE(succeeded(other) && succeeded(operators_key));
  for (const std::string& id : {other->key.id, operators_key->key.id, std::string("key_unknown")}) {
    EXPECT_TRUE(failed(manage.rotate_key(call, session, id), ErrorCode::NotFound, "id"));
    EXPECT_TRUE(failed(manage.remove_key(call, session, id), ErrorCode::NotFound, "id"));
  }
  EXPECT_TRUE(authenticates(other->text));
}

TEST_F(ManageAccount, ReportsRequestsAndWhatIsLeft) {
  const std::string session = signed_up();
  const auto issued = manage.create_key(call, session, "my site");
  ASSERT_TRUE(succeeded(issued));
  const model::Day today = model::day_of(clock.now());
  const std::string& id = issued->key.id;
  const ports::KeyUsage usage[] = {
      {id, today, 5}, {id, today - std::chrono::days(29), 7}, {id, today - std::chrono::days(30), 9}};
  ASSERT_TRUE(succeeded(keys.add_usage(call, usage)));
  const auto report = manage.report(call, session);
  ASSERT_TRUE(succeeded(report));
  ASSERT_EQ(report->keys.size(), 1u);
  const ports::AccountKey& key = report->keys[0];
  ASSERT_EQ(key.days.size(), 30u);
  EXPECT_EQ(key.days.front().requests, 7u);
  EXPECT_EQ(key.days.back().requests, 5u);
  EXPECT_EQ(key.days[1].requests, 0u);
  EXPECT_EQ(key.last_used, today);
  EXPECT_EQ(key.plan.limits, (model::Limits{60, 10'000}));
  ASSERT_TRUE(key.minute && key.day);
  EXPECT_EQ(key.minute->remaining, 60u);
  EXPECT_EQ(key.day->remaining, 10'000u);
}

TEST_F(ManageAccount, ADeletedAccountIsForgotten) {
  const std::string session = signed_up();
  const auto issued = manage.create_key(call, session, "my site");
  ASSERT_TRUE(succeeded(issued));
  ASSERT_TRUE(succeeded(manage.sign_in(call, "reader@example.org", client)));
  const std::string token = deliver();
  EXPECT_TRUE(succeeded(manage.remove_account(call, session)));
  EXPECT_FALSE(authenticates(issued->text));
  EXPECT_TRUE(failed(manage.report(call, session), ErrorCode::NotFound));
  EXPECT_TRUE(failed(manage.confirm(call, token), ErrorCode::NotFound));
  const auto account = store.find(call, "reader@example.org");
  EXPECT_TRUE(account && !*account);
}

TEST_F(ManageAccount, TheLimitsOfMailsOutliveTheAccount) {
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(succeeded(manage.remove_account(call, signed_up())));
  EXPECT_TRUE(succeeded(manage.sign_up(call, "reader@example.org", client)));
  EXPECT_EQ(deliver(), "");
  EXPECT_EQ(mailer.sent.size(), 3u);
}

TEST_F(ManageAccount, AddressesThatDifferInCaseShareTheirLimit) {
  for (const char* const email :
       {"reader@example.org", "Reader@example.org", "READER@example.org", "reaDer@example.org"})
    EXPECT_TRUE(succeeded(manage.sign_up(call, email, client)));
  deliver();
  EXPECT_EQ(mailer.sent.size(), 3u);
}

TEST_F(ApprovedAccounts, KeysWorkOnceTheAccountIsApproved) {
  const std::string session = signed_up();
  EXPECT_EQ(only_account().state, AccountState::Pending);
  const auto issued = manage.create_key(call, session, "my site");
  ASSERT_TRUE(succeeded(issued));
  EXPECT_FALSE(authenticates(issued->text));
  const auto approved = operators.approve(call, only_account().id);
  ASSERT_TRUE(succeeded(approved));
  EXPECT_EQ(approved->state, AccountState::Active);
  EXPECT_TRUE(authenticates(issued->text));
  deliver();
  EXPECT_EQ(mailer.sent.back().text, "https://docs.example.org/account");
  const std::size_t mails = mailer.sent.size();
  EXPECT_TRUE(succeeded(operators.approve(call, only_account().id)));
  deliver();
  EXPECT_EQ(mailer.sent.size(), mails);
}

TEST_F(ManageAccount, ABlockedAccountHasNoValidKeysAndNoSession) {
  const std::string session = signed_up();
  const auto issued = manage.create_key(call, session, "my site");
  ASSERT_TRUE(succeeded(issued));
  const std::string id = only_account().id;
  EXPECT_TRUE(succeeded(operators.block(call, id)));
  EXPECT_FALSE(authenticates(issued->text));
  EXPECT_TRUE(failed(manage.report(call, session), ErrorCode::NotFound));
  ASSERT_TRUE(succeeded(manage.sign_up(call, "reader@example.org", client)));
  const int attempts = mailer.attempts;
  deliver();
  EXPECT_EQ(mailer.attempts, attempts);
  EXPECT_TRUE(succeeded(operators.approve(call, id)));
  EXPECT_TRUE(authenticates(issued->text));
}

TEST_F(ManageAccount, OperatorsDeleteAccounts) {
  const std::string session = signed_up();
  const auto issued = manage.create_key(call, session, "my site");
  ASSERT_TRUE(succeeded(issued));
  EXPECT_TRUE(succeeded(operators.remove(call, only_account().id)));
  EXPECT_FALSE(authenticates(issued->text));
  EXPECT_TRUE(failed(operators.remove(call, "acc_unknown"), ErrorCode::NotFound));
  EXPECT_TRUE(failed(operators.approve(call, "acc_unknown"), ErrorCode::NotFound));
  EXPECT_TRUE(failed(operators.block(call, "acc_unknown"), ErrorCode::NotFound));
}

TEST_F(AccountsOfADomain, OtherAddressesMayNotSignUp) {
  EXPECT_TRUE(succeeded(manage.sign_up(call, "a@Example.org", client)));
  EXPECT_TRUE(succeeded(manage.sign_up(call, "a@example.com", client)));
  for (const std::string email : {"a@sub.example.org", "a@example.net", "a@notexample.org"})
    EXPECT_TRUE(failed(manage.sign_up(call, email, client), ErrorCode::InvalidArgument, "email")) << email;
}

}  // namespace
}  // namespace kbase::tests
