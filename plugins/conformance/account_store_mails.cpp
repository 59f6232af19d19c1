// SPDX-License-Identifier: Apache-2.0
#include <atomic>
#include <thread>
#include <vector>

#include "plugins/conformance/account_store_samples.hpp"

namespace kbase::conformance {
namespace {

using model::MailKind;
using model::MailState;
using model::QueuedMail;
using ports::AccountStore;
using ports::Call;
using ports::MailLimits;
using std::chrono::hours;
using std::chrono::minutes;

/// Returns the name of the first member that differs; empty: they are equal.
std::string_view difference(const QueuedMail& a, const QueuedMail& b) {
  if (a.id != b.id) return "id";
  if (a.email != b.email) return "email";
  if (a.kind != b.kind) return "kind";
  if (a.state != b.state) return "state";
  if (a.client != b.client) return "client";
  if (a.recipient != b.recipient) return "recipient";
  if (a.created != b.created) return "created";
  if (a.due != b.due) return "due";
  return a.attempts != b.attempts ? "attempts" : std::string_view();
}

void mails_are_claimed_when_they_are_due(AccountStoreFixture& fixture, Report& report) {
  AccountStore& store = fixture.port();
  add(store, report, mail_of("later", "a@example.org", kNow + minutes(5)));
  add(store, report, mail_of("second", "b@example.org", kNow - minutes(1)));
  add(store, report, mail_of("first", "c@example.org", kNow - minutes(2)));
  QueuedMail withheld = mail_of("withheld", "d@example.org", kNow - minutes(3));
  withheld.state = MailState::Withheld;
  add(store, report, withheld);
  report.equal(ids_of(claim(store, report, kNow, kNow + minutes(2), 1)), "first",
               "the mail that is due longest is claimed first, and no more than asked for");
  report.equal(ids_of(claim(store, report, kNow)), "second", "a claimed mail is not claimed again, nor a withheld one");
  report.equal(ids_of(claim(store, report, kNow + minutes(1))), "", "before its time");
  report.equal(ids_of(claim(store, report, kNow + minutes(5), kNow + minutes(7))), "first|second|later",
               "a mail of which no result was reported is claimed again");
}

void a_claimed_mail_has_every_member(AccountStoreFixture& fixture, Report& report) {
  AccountStore& store = fixture.port();
  for (const MailKind kind : {MailKind::SignUp, MailKind::SignIn, MailKind::Approved}) {
    QueuedMail wanted = mail_of("m", "a@example.org");
    wanted.id += std::to_string(static_cast<int>(kind));
    wanted.kind = kind;
    add(store, report, wanted);
    const auto claimed = claim(store, report, kNow, kNow + minutes(2));
    wanted.due = kNow + minutes(2);
    wanted.attempts = 1;
    if (report.equal(claimed.size(), std::size_t{1}, "a mail is claimed"))
      report.expect(difference(claimed[0], wanted).empty(), "a claimed mail has every member",
                    difference(claimed[0], wanted));
  }
}

void an_updated_mail_has_its_state(AccountStoreFixture& fixture, Report& report) {
  Call call;
  AccountStore& store = fixture.port();
  add(store, report, mail_of("a", "a@example.org"));
  add(store, report, mail_of("b", "b@example.org"));
  claim(store, report, kNow);
  report.ok(store.update_mail(call, "a", MailState::Sent, kNow), "a mail is sent");
  report.ok(store.update_mail(call, "b", MailState::Waiting, kNow + minutes(1)), "a mail is postponed");
  const auto claimed = claim(store, report, kNow + minutes(1));
  if (!report.equal(ids_of(claimed), "b", "a sent mail is not claimed again, a postponed one is")) return;
  report.equal(claimed[0].attempts, 2U, "attempts are counted");
  report.ok(store.update_mail(call, "b", MailState::Failed, kNow), "a mail fails");
  report.equal(ids_of(claim(store, report, kNow + hours(9))), "", "a failed mail is not claimed again");
}

void mails_to_an_address_are_limited(AccountStoreFixture& fixture, Report& report) {
  Call call;
  AccountStore& store = fixture.port();
  const MailLimits limits{kNow - hours(1), 2, 1'000};
  QueuedMail old = mail_of("old", "a@example.org");
  old.created = kNow - hours(1);
  add(store, report, old, true, limits);
  add(store, report, mail_of("1", "a@example.org"), true, limits);
  QueuedMail withheld = mail_of("2", "a@example.org");
  withheld.state = MailState::Withheld;
  add(store, report, withheld, true, limits);
  add(store, report, mail_of("3", "a@example.org"), false, limits);
  report.fails(store.update_mail(call, "3", MailState::Sent, kNow), ErrorCode::NotFound,
               "a mail beyond has another id");
  report.equal(ids_of(claim(store, report, kNow)), "1|old", "a mail beyond is not claimed");
  add(store, report, mail_of("3", "a@example.org"), true, {kNow - hours(1), 3, 1'000});
  add(store, report, mail_of("4", "b@example.org"), true, limits);
  QueuedMail later = mail_of("5", "a@example.org");
  later.created = kNow + hours(1);
  add(store, report, later, true, {kNow, 2, 1'000});
  report.fails(store.add_mail(call, later, kNoLimits), ErrorCode::Conflict, "an id that exists is a Conflict");
}

void sign_ups_of_a_client_are_limited(AccountStoreFixture& fixture, Report& report) {
  AccountStore& store = fixture.port();
  const MailLimits limits{kNow - hours(1), 1'000, 2};
  add(store, report, mail_of("1", "a@example.org"), true, limits);
  QueuedMail sign_in = mail_of("2", "b@example.org");
  sign_in.kind = MailKind::SignIn;
  add(store, report, sign_in, true, limits);
  add(store, report, mail_of("3", "c@example.org"), true, limits);
  add(store, report, mail_of("4", "d@example.org"), false, limits);
  sign_in.id = "5";
  add(store, report, sign_in, true, limits);
  QueuedMail of_other = mail_of("6", "e@example.org");
  of_other.client = {9};
  add(store, report, of_other, true, limits);
}

void limits_are_exact_for_several_callers(AccountStoreFixture& fixture, Report& report) {
  std::atomic<int> added = 0, failed = 0;
  std::vector<std::thread> threads;
  for (int thread = 0; thread < 4; ++thread)
    threads.emplace_back([&, thread] {
      for (int i = 0; i < 5; ++i) {
        Call call;
        const auto mail = mail_of(std::to_string(thread) + "-" + std::to_string(i), "a@example.org");
        const auto result = fixture.port().add_mail(call, mail, {kNow - hours(1), 3, 1'000});
        if (!result)
          ++failed;
        else if (*result)
          ++added;
      }
    });
  for (std::thread& thread : threads) thread.join();
  report.equal(failed.load(), 0, "no caller fails");
  report.equal(added.load(), 3, "as many mails are added as the limit allows");
}

void one_of_several_callers_claims_a_mail(AccountStoreFixture& fixture, Report& report) {
  for (int i = 0; i < 12; ++i) add(fixture.port(), report, mail_of("m" + std::to_string(i), "a@example.org"));
  std::atomic<int> claimed = 0, failed = 0;
  std::vector<std::thread> threads;
  for (int thread = 0; thread < 4; ++thread)
    threads.emplace_back([&] {
      for (int i = 0; i < 6; ++i) {
        Call call;
        const auto status = fixture.port().claim_mails(call, kNow, kNow + minutes(2), 2, [&claimed](const QueuedMail&) {
          ++claimed;
          return Visit::Continue;
        });
        if (!status) ++failed;
      }
    });
  for (std::thread& thread : threads) thread.join();
  report.equal(failed.load(), 0, "no caller fails");
  report.equal(claimed.load(), 12, "each mail is claimed once");
}

}  // namespace

Suite<AccountStoreFixture> account_store_mails() {
  return {
      {"MailsAreClaimedWhenTheyAreDue", "claim_mails", mails_are_claimed_when_they_are_due},
      {"AClaimedMailHasEveryMember", "kb_queued_mail", a_claimed_mail_has_every_member},
      {"AnUpdatedMailHasItsState", "update_mail", an_updated_mail_has_its_state},
      {"MailsToAnAddressAreLimited", "add_mail", mails_to_an_address_are_limited},
      {"SignUpsOfAClientAreLimited", "add_mail", sign_ups_of_a_client_are_limited},
      {"LimitsAreExactForSeveralCallers", "add_mail", limits_are_exact_for_several_callers},
      {"OneOfSeveralCallersClaimsAMail", "claim_mails", one_of_several_callers_claims_a_mail},
  };
}

}  // namespace kbase::conformance
