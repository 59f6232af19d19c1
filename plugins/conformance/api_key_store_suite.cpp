// SPDX-License-Identifier: Apache-2.0
#include <atomic>
#include <latch>
#include <thread>
#include <vector>

#include "plugins/conformance/api_key_store_samples.hpp"

namespace kbase::conformance {
namespace {

using model::ApiKey;
using model::Instant;
using model::KeyDigest;
using ports::ApiKeyStore;
using ports::Call;
using std::chrono::milliseconds;
using std::chrono::year;

/// Returns a key with every member set.
ApiKey whole_key() {
  ApiKey key = key_of("whole/ key é", 1);
  key.name = std::string("n\0ame, \"quoted\"; \U0001F511", 21);
  key.plan = "a plan of the operator's";
  key.previous_digest = digest_of(2);
  key.previous_expires = kCreated + milliseconds(1);
  key.expires = Instant(std::chrono::sys_days(year(9999) / 12 / 31)) + milliseconds(999);
  key.scopes = static_cast<model::Scopes>(model::Scope::Llm);
  key.revoked = true;
  return key;
}

/// Returns the name of the first member that differs; empty: the keys are equal.
std::string_view difference(const ApiKey& a, const ApiKey& b) {
  if (a.id != b.id) return "id";
  if (a.name != b.name) return "name";
  if (a.plan != b.plan) return "plan";
  if (a.digest != b.digest) return "digest";
  if (a.previous_digest != b.previous_digest) return "previous_digest";
  if (a.previous_digest && a.previous_expires != b.previous_expires) return "previous_expires";
  if (a.expires != b.expires) return "expires";
  if (a.scopes != b.scopes) return "scopes";
  if (a.created != b.created) return "created";
  if (a.revoked != b.revoked) return "revoked";
  if (a.account != b.account) return "account";
  if (a.suspended != b.suspended) return "suspended";
  return {};
}

using Found = Result<std::optional<ApiKey>>;

void is_key(const Found& found, const ApiKey& wanted, std::string_view rule, Report& report,
            SourceLine where = SourceLine::current()) {
  if (!report.ok(found, rule, where) || !report.expect(found->has_value(), rule, "there was none", where)) return;
  report.expect(difference(**found, wanted).empty(), rule, difference(**found, wanted), where);
}

std::string listed_ids(ApiKeyStore& store) {
  Call call;
  std::string ids;
  const auto status = store.list(call, [&ids](const ApiKey& key) {
    ids += (ids.empty() ? "" : "|") + key.id;
    return Visit::Continue;
  });
  return status ? ids : "error " + std::string(name_of(status.error().code));
}

void starts_empty(ApiKeyStoreFixture& fixture, Report& report) {
  Call call;
  report.equal(listed_ids(fixture.port()), "", "an empty store lists no keys");
  expect_missing(fixture.port().get(call, "a"), "get finds nothing for an unknown id, which is not an error", report);
  expect_missing(fixture.port().find(call, digest_of(1)),
                 "find finds nothing for an unknown digest, which is not an error", report);
  expect_missing(fixture.port().find(call, {}), "find finds nothing for a digest of zeros", report);
  report.fails(fixture.port().update(call, key_of("a", 1)), ErrorCode::NotFound, "update of an unknown id is NotFound");
}

void returns_every_member(ApiKeyStoreFixture& fixture, Report& report) {
  Call call;
  for (const ApiKey& wanted : {whole_key(), key_of("plain", 3)}) {
    report.ok(fixture.port().create(call, wanted), "a key is created");
    is_key(fixture.port().get(call, wanted.id), wanted, "get gives back every member of a key", report);
    is_key(fixture.port().find(call, wanted.digest), wanted, "find gives back every member of a key", report);
    bool listed = false;
    report.ok(fixture.port().list(call,
                                  [&](const ApiKey& seen) {
                                    if (seen.id != wanted.id) return Visit::Continue;
                                    listed = true;
                                    report.expect(difference(seen, wanted).empty(), "list gives back every member",
                                                  difference(seen, wanted));
                                    return Visit::Continue;
                                  }),
              "keys are listed");
    report.expect(listed, "a created key is listed");
  }
}

void a_store_does_not_validate_keys(ApiKeyStoreFixture& fixture, Report& report) {
  Call call;
  ApiKey bad = key_of("bad", 1);
  bad.revoked = true;
  bad.expires = kCreated;
  bad.previous_digest = digest_of(2);
  bad.previous_expires = kCreated;
  report.ok(fixture.port().create(call, bad), "a key is created");
  fixture.clock.advance(std::chrono::hours(24 * 4000));
  is_key(fixture.port().find(call, bad.digest), bad, "a revoked and expired key is found all the same", report);
  is_key(fixture.port().find(call, digest_of(2)), bad, "a previous digest past its time is found all the same", report);
}

void lists_by_id(ApiKeyStoreFixture& fixture, Report& report) {
  Call call;
  std::uint8_t seed = 0;
  for (const std::string_view id : {"b", "é", "a", "B", "a ", "10", "9"})
    report.ok(fixture.port().create(call, key_of(id, ++seed)), "a key is created");
  report.equal(listed_ids(fixture.port()), "10|9|B|a|a |b|é", "keys are listed by the bytes of their ids");
  int rows = 0;
  report.ok(fixture.port().list(call,
                                [&rows](const ApiKey&) {
                                  ++rows;
                                  return Visit::Stop;
                                }),
            "a visitor that stops ends the call without an error");
  report.equal(rows, 1, "after a stop no further key is visited");
}

void rejects_a_duplicate_id_or_digest(ApiKeyStoreFixture& fixture, Report& report) {
  ApiKeyStore& store = fixture.port();
  Call call;
  report.ok(store.create(call, key_of("a", 1)), "a key is created");
  report.ok(store.create(call, key_of("b", 2)), "another key is created");
  const std::uint64_t before = revision_of(store);
  report.fails(store.create(call, key_of("a", 3)), ErrorCode::Conflict, "a key of an id that exists is a Conflict");
  report.fails(store.create(call, key_of("c", 1)), ErrorCode::Conflict, "a key of a digest that exists is a Conflict");
  report.fails(store.update(call, key_of("b", 1)), ErrorCode::Conflict, "an update to another key's digest too");
  report.fails(store.update(call, key_of("c", 3)), ErrorCode::NotFound, "an update creates nothing");
  is_key(store.get(call, "a"), key_of("a", 1), "a refused create changes nothing", report);
  is_key(store.get(call, "b"), key_of("b", 2), "a refused update changes nothing", report);
  expect_missing(store.get(call, "c"), "a refused key is not kept", report);
  expect_missing(store.find(call, digest_of(3)), "a refused digest is not kept", report);
  report.equal(revision_of(store), before, "what is refused does not move the revision");
}

void update_replaces_the_key(ApiKeyStoreFixture& fixture, Report& report) {
  ApiKeyStore& store = fixture.port();
  Call call;
  ApiKey whole = whole_key();
  whole.revoked = false;  // a revocation stays, see a_revoked_key_stays_revoked()
  report.ok(store.create(call, whole), "a key is created");
  report.ok(store.create(call, key_of("bystander", 9)), "another key is created");
  ApiKey bare = key_of(whole.id, 5);
  bare.name = "";
  report.ok(store.update(call, bare), "the key is replaced");
  is_key(store.get(call, bare.id), bare, "update replaces every member, also with an absent value", report);
  is_key(store.find(call, bare.digest), bare, "a replaced key is found by its new digest", report);
  expect_missing(store.find(call, digest_of(1)), "a replaced key is not found by its old digest", report);
  expect_missing(store.find(call, digest_of(2)), "a replaced key is not found by its old previous digest", report);
  is_key(store.get(call, "bystander"), key_of("bystander", 9), "an update leaves other keys alone", report);
  report.equal(listed_ids(store), "bystander|" + bare.id, "a replaced key is listed once");
}

void a_rotated_key_is_found_by_both_digests(ApiKeyStoreFixture& fixture, Report& report) {
  ApiKeyStore& store = fixture.port();
  Call call;
  report.ok(store.create(call, key_of("a", 1)), "a key is created");
  ApiKey rotated = key_of("a", 2);
  rotated.previous_digest = digest_of(1);
  rotated.previous_expires = kCreated + std::chrono::hours(24);
  report.ok(store.update(call, rotated), "the key is rotated");
  is_key(store.find(call, digest_of(2)), rotated, "a rotated key is found by its digest", report);
  is_key(store.find(call, digest_of(1)), rotated, "a rotated key is found by the digest it replaced", report);
  ApiKey again = key_of("a", 3);
  again.previous_digest = digest_of(2);
  again.previous_expires = rotated.previous_expires;
  report.ok(store.update(call, again), "the key is rotated again");
  is_key(store.find(call, digest_of(2)), again, "the newest previous digest is found", report);
  expect_missing(store.find(call, digest_of(1)), "the digest before the previous one is deleted", report);
}

void a_revoked_key_stays_revoked(ApiKeyStoreFixture& fixture, Report& report) {
  ApiKeyStore& store = fixture.port();
  if (!store.has_accounts()) return report.skip(kNoAccounts);
  Call call;
  report.ok(store.create(call, key_of("a", 1)), "a key is created");
  ApiKey revoked = key_of("a", 1);
  revoked.revoked = true;
  report.ok(store.update(call, revoked), "a key is revoked");
  ApiKey rotated = key_of("a", 2);
  report.ok(store.update(call, rotated), "who has read the key before rotates it");
  rotated.revoked = true;
  is_key(store.get(call, "a"), rotated, "it stays revoked", report);
}

void the_revision_grows_with_every_change(ApiKeyStoreFixture& fixture, Report& report) {
  ApiKeyStore& store = fixture.port();
  Call call;
  std::uint64_t last = revision_of(store);
  const auto grew = [&](std::string_view rule, SourceLine where = SourceLine::current()) {
    const std::uint64_t now = revision_of(store);
    report.expect(now > last, rule, std::to_string(last) + " -> " + std::to_string(now), where);
    last = now;
  };
  report.ok(store.create(call, key_of("a", 1)), "a key is created");
  grew("a creation moves the revision");
  ApiKey revoked = key_of("a", 1);
  revoked.revoked = true;
  report.ok(store.update(call, revoked), "a key is revoked");
  grew("a revocation moves the revision");
  report.ok(store.get(call, "a"), "a key is read");
  report.equal(revision_of(store), last, "reading does not move the revision");
}

void one_of_several_equal_keys_is_created(ApiKeyStoreFixture& fixture, Report& report) {
  ApiKeyStore& store = fixture.port();
  std::atomic<int> created{0};
  std::atomic<int> refused{0};
  std::latch start(8);
  std::vector<std::thread> threads;
  for (int thread = 0; thread < 8; ++thread)
    threads.emplace_back([&store, &created, &refused, &start, thread] {
      start.arrive_and_wait();
      for (std::uint8_t seed = 0; seed < 20; ++seed) {
        Call call;
        const auto status = store.create(call, key_of(std::to_string(thread) + '/' + std::to_string(seed), seed));
        if (status) ++created;
        if (!status && status.error().code == ErrorCode::Conflict) ++refused;
      }
    });
  for (std::thread& thread : threads) thread.join();
  report.equal(created.load(), 20, "of racing keys with one digest exactly one is created");
  report.equal(refused.load(), 140, "the others are a Conflict");
}

void persists_across_reopen(ApiKeyStoreFixture& fixture, Report& report) {
  Call call;
  report.ok(fixture.port().create(call, whole_key()), "a key is created");
  const std::uint64_t before = revision_of(fixture.port());
  if (!fixture.reopen()) return report.skip("the store is not persistent by declaration");
  is_key(fixture.port().find(call, whole_key().digest), whole_key(), "a key survives the process", report);
  report.equal(revision_of(fixture.port()), before, "the revision survives the process");
}

void keeps_the_account_of_a_key(ApiKeyStoreFixture& fixture, Report& report) {
  ApiKeyStore& store = fixture.port();
  if (!store.has_accounts()) return report.skip(kNoAccounts);
  Call call;
  for (const std::string_view id : {"c", "a", "b"}) {
    ApiKey key = key_of(id, static_cast<std::uint8_t>(id[0]));
    key.account = id == "b" ? "" : "acc_1";
    key.suspended = id == "c";
    report.ok(store.create(call, key), "a key is created");
    is_key(store.get(call, id), key, "get gives back account and suspension", report);
  }
  const auto keys_of = [&](std::string_view account) {
    std::string ids;
    const auto visit = [&ids](const ApiKey& key) {
      ids += key.id;
      return Visit::Continue;
    };
    report.ok(store.list_of(call, account, visit), "the keys of an account are listed");
    return ids;
  };
  report.equal(keys_of("acc_1"), "ac", "list_of lists the keys of the account alone, by id");
  report.equal(keys_of("acc_2"), "", "an account without keys has none");
  report.equal(keys_of(""), "", "keys without an account are those of no account");
}

}  // namespace

Suite<ApiKeyStoreFixture> api_key_store_suite() {
  Suite<ApiKeyStoreFixture> suite = {
      {"StartsEmpty", "", starts_empty},
      {"ReturnsEveryMember", "kb_key", returns_every_member},
      {"AStoreDoesNotValidateKeys", "", a_store_does_not_validate_keys},
      {"ListsById", "list", lists_by_id},
      {"RejectsADuplicateIdOrDigest", "create_key", rejects_a_duplicate_id_or_digest},
      {"UpdateReplacesTheKey", "update_key", update_replaces_the_key},
      {"ARotatedKeyIsFoundByBothDigests", "find", a_rotated_key_is_found_by_both_digests},
      {"TheRevisionGrowsWithEveryChange", "revision", the_revision_grows_with_every_change},
      {"OneOfSeveralEqualKeysIsCreated", "create_key", one_of_several_equal_keys_is_created},
      {"PersistsAcrossReopen", "create_key", persists_across_reopen},
      {"KeepsTheAccountOfAKey", "list_of", keeps_the_account_of_a_key},
      {"ARevokedKeyStaysRevoked", "update_key", a_revoked_key_stays_revoked},
  };
  const auto usage = api_key_store_usage();
  suite.insert(suite.end(), usage.begin(), usage.end());
  return suite;
}

}  // namespace kbase::conformance
