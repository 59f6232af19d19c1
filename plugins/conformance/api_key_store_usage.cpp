// SPDX-License-Identifier: Apache-2.0
#include <atomic>
#include <thread>
#include <vector>

#include "plugins/conformance/api_key_store_samples.hpp"

namespace kbase::conformance {
namespace {

using model::ApiKey;
using ports::ApiKeyStore;
using ports::Call;
using std::chrono::year;

constexpr model::Day kDay = model::Day(year(2026) / 3 / 14);
constexpr model::Day kFirstDay = model::Day(year(1970) / 1 / 1);
constexpr model::Day kLastDay = model::Day(year(9999) / 12 / 31);

/// Returns the counts of a span of days as "id@day=requests", with days as numbers from kDay, joined by spaces.
std::string usage_of(ApiKeyStore& store, model::Day first = kFirstDay, model::Day last = kLastDay) {
  Call call;
  std::string text;
  const auto status = store.usage(call, first, last, [&text](const ports::KeyUsage& row) {
    text += (text.empty() ? "" : " ") + std::string(row.id) + '@' + std::to_string((row.day - kDay).count()) + '=' +
            std::to_string(row.requests);
    return Visit::Continue;
  });
  return status ? text : "error " + std::string(name_of(status.error().code));
}

/// Adds usage. If the store keeps no usage, returns false and skips the check.
bool counts(ApiKeyStoreFixture& fixture, Report& report, std::vector<ports::KeyUsage> usage) {
  Call call;
  const auto added = fixture.port().add_usage(call, usage);
  if (!added && added.error().code == ErrorCode::Unsupported) {
    report.skip("the store keeps no usage");
    return false;
  }
  return report.ok(added, "usage is added");
}

void sums_usage_by_key_and_day(ApiKeyStoreFixture& fixture, Report& report) {
  ApiKeyStore& store = fixture.port();
  Call call;
  report.ok(store.create(call, key_of("b", 1)), "a key is created");
  const std::uint64_t before = revision_of(store);
  const model::Day next = kDay + std::chrono::days(1);
  if (!counts(fixture, report, {{"b", kDay, 2}, {"a", next, 5}, {"a", kDay, 1}, {"b", kDay, 3}})) return;
  report.equal(usage_of(store), "a@0=1 a@1=5 b@0=5", "counts are ordered by id, then day, also those of unknown keys");
  counts(fixture, report, {{"a", kDay, 0}, {"b", next, 0}, {"a", next, 1'000'000'000'000}});
  report.equal(usage_of(store), "a@0=1 a@1=1000000000005 b@0=5",
               "a later count is added, one of nothing leaves no day");
  report.equal(usage_of(store, next, next), "a@1=1000000000005", "a span of days has its first and its last day");
  report.equal(usage_of(store, next + std::chrono::days(1), kLastDay), "", "days without requests are not returned");
  report.equal(revision_of(store), before, "usage does not move the revision of the keys");
  int rows = 0;
  report.ok(store.usage(call, kFirstDay, kLastDay,
                        [&rows](const ports::KeyUsage&) {
                          ++rows;
                          return Visit::Stop;
                        }),
            "a visitor that stops ends the call without an error");
  report.equal(rows, 1, "after a stop no further count is visited");
}

/// Returns the day as a number from kDay; "-" for an id without counts.
std::string last_day_of(ApiKeyStore& store, std::string_view id) {
  Call call;
  const auto day = store.last_used(call, id);
  if (!day) return "error " + std::string(name_of(day.error().code));
  return *day ? std::to_string((**day - kDay).count()) : "-";
}

void the_last_use_is_the_last_day_with_a_count(ApiKeyStoreFixture& fixture, Report& report) {
  ApiKeyStore& store = fixture.port();
  const model::Day next = kDay + std::chrono::days(1);
  if (!counts(fixture, report, {{"a", next, 5}, {"a", kDay, 1}, {"ab", next + std::chrono::days(1), 1}})) return;
  if (last_day_of(store, "a") == "error Unsupported") return report.skip("the store does not return the last use");
  report.equal(last_day_of(store, "a"), "1", "the last use is the last day with a count, of that id alone");
  report.equal(last_day_of(store, "b"), "-", "what has no counts has no last use");
  counts(fixture, report, {{"a", kDay, 1}, {"a", next + std::chrono::days(3), 0}});
  report.equal(last_day_of(store, "a"), "1", "a count of nothing or of an earlier day does not move it");
}

void usage_of_earlier_days_is_deleted(ApiKeyStoreFixture& fixture, Report& report) {
  ApiKeyStore& store = fixture.port();
  Call call;
  const model::Day before = kDay - std::chrono::days(1);
  if (!counts(fixture, report, {{"a", before, 1}, {"a", kDay, 2}, {"b", before, 3}, {"c", kFirstDay, 4}})) return;
  const std::uint64_t revision = revision_of(store);
  const auto forgotten = store.delete_usage_before(call, kDay);
  if (!forgotten && forgotten.error().code == ErrorCode::Unsupported)
    return report.skip("the store keeps usage for good");
  report.ok(forgotten, "usage is forgotten");
  report.equal(usage_of(store), "a@0=2", "counts of days before the first one that is kept are gone, others stay");
  report.equal(last_day_of(store, "b"), "-", "of what was forgotten there is no last use");
  report.equal(revision_of(store), revision, "to forget usage does not move the revision of the keys");
  counts(fixture, report, {{"b", before, 7}});
  report.equal(usage_of(store), "a@0=2 b@-1=7", "what is added later starts at zero");
  report.ok(store.delete_usage_before(call, kFirstDay), "there may be nothing to forget");
  report.equal(usage_of(store), "a@0=2 b@-1=7", "and then all stays");
}

void usage_of_many_threads_is_exact(ApiKeyStoreFixture& fixture, Report& report) {
  if (!counts(fixture, report, {})) return;
  std::vector<std::thread> threads;
  std::atomic<int> refused{0};
  for (int thread = 0; thread < 4; ++thread)
    threads.emplace_back([&fixture, &refused] {
      const ports::KeyUsage usage[] = {{"a", kDay, 1}, {"b", kDay, 2}};
      for (int i = 0; i < 25; ++i) {
        Call call;
        if (!fixture.port().add_usage(call, usage)) ++refused;
      }
    });
  for (std::thread& thread : threads) thread.join();
  report.equal(refused.load(), 0, "usage is added by threads at the same time");
  report.equal(usage_of(fixture.port()), "a@0=100 b@0=200", "no count gets lost");
}

void usage_persists_across_reopen(ApiKeyStoreFixture& fixture, Report& report) {
  if (!counts(fixture, report, {{"a", kDay, 7}})) return;
  if (!fixture.reopen()) return report.skip("the store is not persistent by declaration");
  report.equal(usage_of(fixture.port()), "a@0=7", "usage survives the process");
}

void a_removed_key_is_forgotten(ApiKeyStoreFixture& fixture, Report& report) {
  ApiKeyStore& store = fixture.port();
  if (!store.has_accounts()) return report.skip(kNoAccounts);
  Call call;
  report.fails(store.remove(call, "a"), ErrorCode::NotFound, "removing an unknown key is NotFound");
  ApiKey key = key_of("a", 1);
  key.previous_digest = digest_of(2);
  report.ok(store.create(call, key), "a key is created");
  report.ok(store.create(call, key_of("b", 3)), "another key is created");
  counts(fixture, report, {{"a", kDay, 7}, {"b", kDay, 8}});
  const std::uint64_t before = revision_of(store);
  report.ok(store.remove(call, "a"), "a key is removed");
  expect_missing(store.get(call, "a"), "a removed key is gone", report);
  expect_missing(store.find(call, digest_of(1)), "its digest is not found", report);
  expect_missing(store.find(call, digest_of(2)), "nor its previous digest", report);
  report.equal(usage_of(store), "b@0=8", "its counts are gone, and no others");
  report.expect(revision_of(store) > before, "the revision grows, so that servers forget the key");
  report.ok(store.create(call, key_of("c", 1)), "its digest can be used again");
}

void returns_the_usage_of_one_key(ApiKeyStoreFixture& fixture, Report& report) {
  ApiKeyStore& store = fixture.port();
  if (!store.has_accounts()) return report.skip(kNoAccounts);
  const model::Day next = kDay + std::chrono::days(1);
  if (!counts(fixture, report, {{"a", next, 5}, {"a", kDay, 1}, {"b", kDay, 2}, {"a", next + std::chrono::days(1), 3}}))
    return;
  Call call;
  std::string text;
  const auto visit = [&text](const ports::KeyUsage& usage) {
    text +=
        std::string(usage.id) + std::to_string((usage.day - kDay).count()) + "=" + std::to_string(usage.requests) + " ";
    return Visit::Continue;
  };
  report.ok(store.usage_of(call, "a", kDay, next, visit), "the counts of a key are returned");
  report.equal(text, "a0=1 a1=5 ", "usage_of returns the counts of the key and the days alone, by day");
}

}  // namespace

Suite<ApiKeyStoreFixture> api_key_store_usage() {
  return {
      {"SumsUsageByKeyAndDay", "usage", sums_usage_by_key_and_day},
      {"TheLastUseIsTheLastDayWithACount", "last_used", the_last_use_is_the_last_day_with_a_count},
      {"UsageOfEarlierDaysIsDeleted", "forget_usage", usage_of_earlier_days_is_deleted},
      {"UsageOfManyThreadsIsExact", "add_usage", usage_of_many_threads_is_exact},
      {"UsagePersistsAcrossReopen", "add_usage", usage_persists_across_reopen},
      {"ARemovedKeyIsForgotten", "remove_key", a_removed_key_is_forgotten},
      {"ReturnsTheUsageOfOneKey", "usage_of", returns_the_usage_of_one_key},
  };
}

}  // namespace kbase::conformance
