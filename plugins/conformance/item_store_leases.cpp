// SPDX-License-Identifier: Apache-2.0
#include <atomic>
#include <chrono>
#include <latch>
#include <string>
#include <thread>
#include <vector>

#include "plugins/conformance/content_samples.hpp"
#include "plugins/conformance/suites.hpp"

namespace kbase::conformance {
namespace {
using ports::Call;
using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;

constexpr minutes kLong{10};
constexpr milliseconds kShort{50};

/// Whether the store supports leases. If not, expects Unsupported and skips the check.
bool leases(ports::ItemStore& store, Report& report) {
  if (store.capabilities().leases) return true;
  Call call;
  report.fails(store.try_lease(call, "index", "a", kLong), ErrorCode::Unsupported,
               "a store that declares no leases says Unsupported");
  report.skip("the store gives no leases by declaration");
  return false;
}

/// Returns the result of one attempt: "held", "refused", or the error.
std::string attempt(ports::ItemStore& store, std::string_view name, std::string_view owner, milliseconds ttl) {
  Call call;
  const auto held = store.try_lease(call, name, owner, ttl);
  if (!held) return "error " + std::string(name_of(held.error().code));
  return *held ? "held" : "refused";
}

/// Tries until `owner` holds the lease. Advances the check's clock, and waits in real time for stores that use the
/// clock of a server.
bool gets_in_the_end(ItemStoreFixture& fixture, std::string_view name, std::string_view owner) {
  const auto timeout = std::chrono::steady_clock::now() + seconds(10);
  fixture.clock.advance(kShort);
  while (std::chrono::steady_clock::now() < timeout) {
    if (attempt(fixture.port(), name, owner, kLong) == "held") return true;
    std::this_thread::yield();
  }
  return false;
}

void one_owner_holds_a_lease(ItemStoreFixture& fixture, Report& report) {
  ports::ItemStore& store = fixture.port();
  if (!leases(store, report)) return;
  report.equal(attempt(store, "index", "a", kLong), "held", "a free lease is taken");
  report.equal(attempt(store, "index", "b", kLong), "refused", "one that another holds is not");
  report.equal(attempt(store, "index", "a", kLong), "held", "its owner renews it");
  report.equal(attempt(store, "index", "b", kLong), "refused", "a renewed lease is still another's");
  if (!fixture.port().capabilities().persistent || !fixture.reopen()) return;
  report.equal(attempt(fixture.port(), "index", "b", kLong), "refused", "a lease survives the process");
  report.equal(attempt(fixture.port(), "index", "a", kLong), "held", "and is still its owner's");
}

void leases_of_different_names_are_independent(ItemStoreFixture& fixture, Report& report) {
  ports::ItemStore& store = fixture.port();
  if (!leases(store, report)) return;
  const std::string longest(256, 'x');
  std::string name = "index", owner = "a";
  report.equal(attempt(store, name, owner, kLong), "held", "a free lease is taken");
  name = owner = "#";
  report.equal(attempt(store, "index", "b", kLong), "refused", "a store copies its arguments before it returns");
  report.equal(attempt(store, "Index", "b", kLong), "held", "names are compared by their bytes");
  report.equal(attempt(store, "index", "A", kLong), "refused", "so are owners");
  report.equal(attempt(store, longest, longest, kLong), "held", "a name and an owner of 256 bytes are taken");
  report.equal(attempt(store, "é'; --", "日本", kLong), "held", "they are any text");
}

void a_lease_expires(ItemStoreFixture& fixture, Report& report) {
  ports::ItemStore& store = fixture.port();
  if (!leases(store, report)) return;
  report.equal(attempt(store, "index", "a", kLong), "held", "a free lease is taken");
  report.equal(attempt(store, "index", "a", kShort), "held", "a renewal counts from now, also where it is shorter");
  report.expect(gets_in_the_end(fixture, "index", "b"), "a lease whose time is over is free");
  report.equal(attempt(store, "index", "a", kLong), "refused", "the previous owner does not hold it");
}

void a_lease_can_be_released(ItemStoreFixture& fixture, Report& report) {
  ports::ItemStore& store = fixture.port();
  if (!leases(store, report)) return;
  constexpr milliseconds kNone{0};
  report.equal(attempt(store, "index", "a", kNone), "refused", "an owner without the lease cannot release it");
  report.equal(attempt(store, "index", "a", kLong), "held", "a free lease is taken");
  report.equal(attempt(store, "index", "b", kNone), "refused", "an owner cannot release a lease of another owner");
  report.equal(attempt(store, "index", "b", kLong), "refused", "so it stays its owner's");
  report.equal(attempt(store, "index", "a", kNone), "refused", "what was given back is held no more");
  report.equal(attempt(store, "index", "b", kLong), "held", "a lease that was given back is free");
}

void racing_owners_get_one_lease(ItemStoreFixture& fixture, Report& report) {
  ports::ItemStore& store = fixture.port();
  if (!leases(store, report)) return;
  constexpr int kOwners = 8;
  for (const std::string_view name : {"first", "second", "third"}) {
    std::atomic<int> held{0}, failed{0};
    std::latch start(kOwners);
    std::vector<std::thread> owners;
    for (int i = 0; i < kOwners; ++i)
      owners.emplace_back([&, i] {
        start.arrive_and_wait();
        const std::string said = attempt(store, name, std::to_string(i), kLong);
        if (said == "held") ++held;
        if (said.starts_with("error")) ++failed;
      });
    for (std::thread& owner : owners) owner.join();
    report.equal(held.load(), 1, "of those who try at the same time one gets it");
    report.equal(failed.load(), 0, "the others are refused without an error");
  }
}

void a_lease_does_not_change_the_revision(ItemStoreFixture& fixture, Report& report) {
  ports::ItemStore& store = fixture.port();
  if (!leases(store, report)) return;
  const model::Revision before = revision_of(store);
  Call call;
  {
    auto writer = store.begin(call);
    if (!report.ok(writer, "a batch begins")) return;
    report.equal(attempt(store, "index", "a", kLong), "held", "a lease is taken while a batch is under way");
  }
  report.equal(attempt(store, "index", "b", kLong), "refused", "a batch that was aborted takes no lease with it");
  report.equal(revision_of(store), before, "a lease moves no revision");
  report.equal(feed_text_after(store, 0), "", "and is not part of the feed");
}

}  // namespace

Suite<ItemStoreFixture> item_store_leases() {
  return {
      {"OneOwnerHoldsALease", "kb_lease.is_held", one_owner_holds_a_lease},
      {"LeasesOfDifferentNamesAreIndependent", "try_lease", leases_of_different_names_are_independent},
      {"ALeaseExpires", "try_lease", a_lease_expires},
      {"ALeaseCanBeReleased", "try_lease", a_lease_can_be_released},
      {"RacingOwnersGetOneLease", "kb_lease.is_held", racing_owners_get_one_lease},
      {"ALeaseDoesNotChangeTheRevision", "revision", a_lease_does_not_change_the_revision},
  };
}

}  // namespace kbase::conformance
