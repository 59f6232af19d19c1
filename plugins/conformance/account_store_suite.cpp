// SPDX-License-Identifier: Apache-2.0
#include <atomic>
#include <thread>
#include <vector>

#include "plugins/conformance/account_store_samples.hpp"

namespace kbase::conformance {
namespace {

using model::Account;
using model::AccountState;
using model::Instant;
using model::MailState;
using model::QueuedMail;
using model::Session;
using model::SignInToken;
using ports::AccountStore;
using ports::Call;
using std::chrono::hours;
using std::chrono::milliseconds;

/// Returns the name of the first member that differs; empty: they are equal.
std::string_view difference(const Account& a, const Account& b) {
  if (a.id != b.id) return "id";
  if (a.email != b.email) return "email";
  if (a.plan != b.plan) return "plan";
  if (a.state != b.state) return "state";
  return a.created != b.created ? "created" : std::string_view();
}

using FoundAccount = Result<std::optional<Account>>;

void is_account(const FoundAccount& found, const Account& wanted, std::string_view rule, Report& report,
                SourceLine where = SourceLine::current()) {
  if (!report.ok(found, rule, where) || !report.expect(found->has_value(), rule, "there was none", where)) return;
  report.expect(difference(**found, wanted).empty(), rule, difference(**found, wanted), where);
}

std::string listed(AccountStore& store) {
  Call call;
  std::string ids;
  const auto status = store.list(call, [&ids](const Account& account) {
    ids += (ids.empty() ? "" : "|") + account.id;
    return Visit::Continue;
  });
  return status ? ids : "error " + std::string(name_of(status.error().code));
}

void starts_empty(AccountStoreFixture& fixture, Report& report) {
  Call call;
  AccountStore& store = fixture.port();
  report.equal(listed(store), "", "an empty store lists no accounts");
  expect_missing(store.get(call, "a"), "get finds nothing for an unknown id, which is not an error", report);
  expect_missing(store.find(call, "a@example.org"), "find finds nothing for an unknown address", report);
  expect_missing(store.take_token(call, digest_of(1)), "there is no token", report);
  expect_missing(store.find_session(call, digest_of(1)), "there is no session", report);
  report.equal(ids_of(claim(store, report, kNow)), "", "there is no mail");
  report.fails(store.update(call, account_of("a", "a@example.org")), ErrorCode::NotFound,
               "update of an unknown id is NotFound");
  report.fails(store.remove(call, "a"), ErrorCode::NotFound, "remove of an unknown id is NotFound");
  report.fails(store.update_mail(call, "a", MailState::Sent, kNow), ErrorCode::NotFound,
               "update_mail of an unknown id is NotFound");
  report.ok(store.extend_session(call, digest_of(1), kNow), "extending an unknown session is not an error");
  report.ok(store.remove_session(call, digest_of(1)), "neither is removing one");
  report.ok(store.remove_sessions(call, "a"), "an account without sessions is not an error");
  report.ok(store.delete_expired(call, kNow, kNow), "neither is deleting what has expired");
}

void returns_every_member_of_an_account(AccountStoreFixture& fixture, Report& report) {
  Call call;
  AccountStore& store = fixture.port();
  for (const AccountState state : {AccountState::Pending, AccountState::Active, AccountState::Blocked}) {
    Account wanted = account_of("acc_" + std::to_string(static_cast<int>(state)),
                                "o'brien+\"x\"%" + std::to_string(static_cast<int>(state)) + "@xn--bcher-kva.example");
    wanted.plan = "a plan of the operator's \U0001F511";
    wanted.state = state;
    report.ok(store.create(call, wanted), "an account is created");
    is_account(store.get(call, wanted.id), wanted, "get gives back every member", report);
    is_account(store.find(call, wanted.email), wanted, "find gives back every member", report);
  }
  expect_missing(store.find(call, "O'brien+\"x\"%0@xn--bcher-kva.example"), "addresses are compared by their bytes",
                 report);
}

void lists_accounts_by_id(AccountStoreFixture& fixture, Report& report) {
  Call call;
  for (const std::string id : {"b", "a", "B", "10", "9"})
    report.ok(fixture.port().create(call, account_of(id, id + "@example.org")), "an account is created");
  report.equal(listed(fixture.port()), "10|9|B|a|b", "accounts are listed by the bytes of their ids");
}

void rejects_a_second_account_of_an_address(AccountStoreFixture& fixture, Report& report) {
  Call call;
  AccountStore& store = fixture.port();
  report.ok(store.create(call, account_of("a", "a@example.org")), "an account is created");
  report.fails(store.create(call, account_of("a", "b@example.org")), ErrorCode::Conflict,
               "an id that exists conflicts");
  report.fails(store.create(call, account_of("b", "a@example.org")), ErrorCode::Conflict, "an address conflicts too");
  report.equal(listed(store), "a", "a rejected account is not stored");
}

void one_of_several_equal_accounts_is_created(AccountStoreFixture& fixture, Report& report) {
  std::atomic<int> created = 0, refused = 0;
  std::vector<std::thread> threads;
  for (int thread = 0; thread < 4; ++thread)
    threads.emplace_back([&, thread] {
      Call call;
      const auto status = fixture.port().create(call, account_of("acc_" + std::to_string(thread), "a@example.org"));
      if (status)
        ++created;
      else if (status.error().code == ErrorCode::Conflict)
        ++refused;
    });
  for (std::thread& thread : threads) thread.join();
  report.equal(created.load(), 1, "one of four accounts of an address is created");
  report.equal(refused.load(), 3, "the others are conflicts");
}

void update_replaces_state_and_plan(AccountStoreFixture& fixture, Report& report) {
  Call call;
  AccountStore& store = fixture.port();
  Account account = account_of("a", "a@example.org");
  report.ok(store.create(call, account), "an account is created");
  account.state = AccountState::Blocked;
  account.plan = "premium";
  report.ok(store.update(call, account), "an account is updated");
  is_account(store.get(call, "a"), account, "get gives back the new state and plan", report);
}

void removing_an_account_forgets_its_address(AccountStoreFixture& fixture, Report& report) {
  Call call;
  AccountStore& store = fixture.port();
  for (const std::string id : {"a", "b"}) {
    const std::string email = id + "@example.org";
    const auto seed = static_cast<std::uint8_t>(id[0]);
    report.ok(store.create(call, account_of(id, email)), "an account is created");
    report.ok(store.add_token(call, {digest_of(seed), email, false, kNow}), "a token is added");
    report.ok(store.add_session(call, {digest_of(seed), id, kNow - hours(1), kNow}), "a session is added");
    add(store, report, mail_of("mail" + id, email));
  }
  report.ok(store.remove(call, "a"), "an account is removed");
  expect_missing(store.get(call, "a"), "a removed account is gone", report);
  expect_missing(store.find(call, "a@example.org"), "so is its address", report);
  expect_missing(store.take_token(call, digest_of('a')), "so are its tokens", report);
  expect_missing(store.find_session(call, digest_of('a')), "so are its sessions", report);
  report.equal(ids_of(claim(store, report, kNow)), "mailb", "its mails are not sent, but those of others are");
  const ports::MailLimits one{kNow - hours(1), 1, 1'000};
  add(store, report, mail_of("again", "a@example.org"), false, one);
  const auto token = store.take_token(call, digest_of('b'));
  report.expect(token && *token, "another account keeps its tokens");
  const auto session = store.find_session(call, digest_of('b'));
  report.expect(session && *session, "another account keeps its sessions");
  report.ok(store.create(call, account_of("c", "a@example.org")), "the address can be used again");
}

void a_token_is_taken_once(AccountStoreFixture& fixture, Report& report) {
  Call call;
  AccountStore& store = fixture.port();
  const SignInToken wanted{digest_of(1), "a@example.org", true, kNow};
  report.ok(store.add_token(call, wanted), "a token is added");
  report.fails(store.add_token(call, wanted), ErrorCode::Conflict, "a digest that exists is a Conflict");
  report.ok(store.add_token(call, {digest_of(2), "b@example.org", false, kNow + hours(1)}), "another token is added");
  const auto token = store.take_token(call, digest_of(1));
  if (report.ok(token, "a token is taken") && report.expect(token->has_value(), "take_token returns the token")) {
    report.equal((*token)->email, wanted.email, "a token has its address");
    report.expect((*token)->digest == wanted.digest && (*token)->expires == wanted.expires && (*token)->signs_up,
                  "a token has its other members");
  }
  expect_missing(store.take_token(call, digest_of(1)), "a token is taken once", report);
  const auto other = store.take_token(call, digest_of(2));
  report.expect(other && *other && !(*other)->signs_up, "another token stays");
}

void one_of_several_callers_takes_a_token(AccountStoreFixture& fixture, Report& report) {
  Call call;
  report.ok(fixture.port().add_token(call, {digest_of(1), "a@example.org", false, kNow}), "a token is added");
  std::atomic<int> taken = 0, failed = 0;
  std::vector<std::thread> threads;
  for (int thread = 0; thread < 4; ++thread)
    threads.emplace_back([&] {
      Call mine;
      const auto token = fixture.port().take_token(mine, digest_of(1));
      if (!token)
        ++failed;
      else if (*token)
        ++taken;
    });
  for (std::thread& thread : threads) thread.join();
  report.equal(failed.load(), 0, "no caller fails");
  report.equal(taken.load(), 1, "one of four callers takes the token");
}

void ends_the_sessions_of_one_account(AccountStoreFixture& fixture, Report& report) {
  Call call;
  AccountStore& store = fixture.port();
  const auto add = [&](unsigned char seed, const char* account) {
    report.ok(store.add_session(call, {digest_of(seed), account, kNow - hours(1), kNow}), "a session is added");
  };
  add(1, "a");
  add(2, "b");
  add(3, "a");
  report.ok(store.remove_sessions(call, "a"), "the sessions of an account are removed");
  for (const std::uint8_t seed : {std::uint8_t{1}, std::uint8_t{3}})
    expect_missing(store.find_session(call, digest_of(seed)), "a removed session is gone", report);
  const auto other = store.find_session(call, digest_of(2));
  report.expect(other && *other, "another account keeps its sessions");
}

void keeps_sessions(AccountStoreFixture& fixture, Report& report) {
  Call call;
  AccountStore& store = fixture.port();
  const Session wanted{digest_of(1), "a", kNow - hours(1), kNow};
  report.ok(store.add_session(call, wanted), "a session is added");
  report.fails(store.add_session(call, wanted), ErrorCode::Conflict, "a digest that exists is a Conflict");
  const auto is_until = [&](Instant expires, std::string_view rule) {
    const auto session = store.find_session(call, digest_of(1));
    if (!report.ok(session, rule) || !report.expect(session->has_value(), rule, "there was none")) return;
    report.expect((*session)->account == "a" && (*session)->digest == wanted.digest, rule);
    report.expect((*session)->created == wanted.created, rule, "its beginning differs");
    report.expect((*session)->expires == expires, rule, "its end differs");
  };
  is_until(kNow, "find_session gives back every member");
  report.ok(store.extend_session(call, digest_of(1), kNow + hours(12)), "a session is extended");
  is_until(kNow + hours(12), "an extended session has its new end");
  report.ok(store.remove_session(call, digest_of(1)), "a session is removed");
  expect_missing(store.find_session(call, digest_of(1)), "a removed session is gone", report);
}

void deletes_what_has_expired(AccountStoreFixture& fixture, Report& report) {
  Call call;
  AccountStore& store = fixture.port();
  report.ok(store.add_token(call, {digest_of(1), "a@example.org", false, kNow - milliseconds(1)}), "a token is added");
  report.ok(store.add_token(call, {digest_of(2), "a@example.org", false, kNow}), "a token is added");
  report.ok(store.add_session(call, {digest_of(1), "a", kNow - hours(1), kNow - milliseconds(1)}),
            "a session is added");
  report.ok(store.add_session(call, {digest_of(2), "a", kNow - hours(1), kNow}), "a session is added");
  for (const std::string_view id : {"sent", "waiting"}) {
    QueuedMail mail = mail_of(id, "a@example.org");
    mail.created = kNow - hours(2);
    add(store, report, mail);
  }
  report.ok(store.update_mail(call, "sent", MailState::Sent, kNow), "a mail is sent");
  report.ok(store.delete_expired(call, kNow, kNow - hours(1)), "what has expired is deleted");
  expect_missing(store.take_token(call, digest_of(1)), "an expired token is deleted", report);
  expect_missing(store.find_session(call, digest_of(1)), "an expired session is deleted", report);
  const auto token = store.take_token(call, digest_of(2));
  report.expect(token && *token, "a valid token stays");
  const auto session = store.find_session(call, digest_of(2));
  report.expect(session && *session, "a valid session stays");
  report.fails(store.update_mail(call, "sent", MailState::Sent, kNow), ErrorCode::NotFound, "an old mail is deleted");
  report.equal(ids_of(claim(store, report, kNow)), "waiting", "a waiting mail stays");
}

void persists_across_reopen(AccountStoreFixture& fixture, Report& report) {
  Call call;
  const Account account = account_of("a", "a@example.org");
  report.ok(fixture.port().create(call, account), "an account is created");
  report.ok(fixture.port().add_token(call, {digest_of(1), "a@example.org", false, kNow}), "a token is added");
  report.ok(fixture.port().add_session(call, {digest_of(1), "a", kNow - hours(1), kNow}), "a session is added");
  add(fixture.port(), report, mail_of("m", "a@example.org"));
  if (!fixture.reopen()) return report.skip("the store is not persistent by declaration");
  is_account(fixture.port().get(call, "a"), account, "an account survives the process", report);
  const auto token = fixture.port().take_token(call, digest_of(1));
  report.expect(token && *token, "a token survives the process");
  const auto session = fixture.port().find_session(call, digest_of(1));
  report.expect(session && *session, "a session survives the process");
  report.equal(ids_of(claim(fixture.port(), report, kNow)), "m", "a mail survives the process");
}

}  // namespace

Suite<AccountStoreFixture> account_store_suite() {
  Suite<AccountStoreFixture> suite = {
      {"StartsEmpty", "", starts_empty},
      {"ReturnsEveryMemberOfAnAccount", "kb_account", returns_every_member_of_an_account},
      {"ListsAccountsById", "list", lists_accounts_by_id},
      {"RejectsASecondAccountOfAnAddress", "create_account", rejects_a_second_account_of_an_address},
      {"OneOfSeveralEqualAccountsIsCreated", "create_account", one_of_several_equal_accounts_is_created},
      {"UpdateReplacesStateAndPlan", "update_account", update_replaces_state_and_plan},
      {"RemovingAnAccountForgetsItsAddress", "remove_account", removing_an_account_forgets_its_address},
      {"ATokenIsTakenOnce", "take_token", a_token_is_taken_once},
      {"OneOfSeveralCallersTakesAToken", "take_token", one_of_several_callers_takes_a_token},
      {"KeepsSessions", "kb_session", keeps_sessions},
      {"EndsTheSessionsOfOneAccount", "remove_sessions", ends_the_sessions_of_one_account},
      {"DeletesWhatHasExpired", "delete_expired", deletes_what_has_expired},
      {"PersistsAcrossReopen", "create_account", persists_across_reopen},
  };
  const auto mails = account_store_mails();
  suite.insert(suite.end(), mails.begin(), mails.end());
  return suite;
}

}  // namespace kbase::conformance
