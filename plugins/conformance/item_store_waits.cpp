// SPDX-License-Identifier: Apache-2.0
#include <atomic>
#include <chrono>
#include <future>

#include "plugins/conformance/content_samples.hpp"
#include "plugins/conformance/store_checks.hpp"

namespace kbase::conformance {
namespace {

using model::ErrorCode;
using ports::Call;
using std::chrono::seconds;

/// Limit in real time for an event that should happen at once, so that a wait which never ends fails the check.
constexpr seconds kTimeout{10};

/// A call of ItemStore::wait on its own thread.
class WaitThread {
 public:
  WaitThread(ports::ItemStore& store, model::Revision after, Call::SteadyTime deadline) {
    call_.deadline = deadline;
    call_.cancel = &cancelled_;
    ended_ = std::async(std::launch::async, [this, &store, after] { return store.wait(call_, after); });
  }
  ~WaitThread() { cancel(); }

  void cancel() { cancelled_ = true; }

  /// Whether the wait ends by itself, with success.
  bool ends() { return ended_.wait_for(kTimeout) == std::future_status::ready && ended_.get().has_value(); }

  /// Returns the result of the wait; Internal if it does not end.
  model::Status outcome() {
    if (ended_.wait_for(kTimeout) == std::future_status::ready) return ended_.get();
    return model::Error{ErrorCode::Internal, "it still waits", {}, {}, {}};
  }

 private:
  Call call_;
  std::atomic<bool> cancelled_{false};
  std::future<model::Status> ended_;  // last member: its destructor waits for the thread
};

/// Whether the store supports wait(). If not, expects Unsupported and skips the check.
bool waits(ports::ItemStore& store, Report& report) {
  if (store.capabilities().waits) return true;
  Call call;
  report.fails(store.wait(call, 0), ErrorCode::Unsupported, "a store that declares no wait says Unsupported");
  report.skip("the store does not wait by declaration");
  return false;
}

void a_wait_for_what_is_there_ends_at_once(ItemStoreFixture& fixture, Report& report) {
  ports::ItemStore& store = fixture.port();
  if (!waits(store, report)) return;
  const auto written = commit(store, {{category_of("shelf")}, {item_of("a")}, {}, {}});
  if (!report.ok(written, "a batch is committed")) return;
  report.expect(WaitThread(store, *written - 1, Call::SteadyTime::max()).ends(),
                "a wait for a revision that is there already ends at once");
  report.expect(WaitThread(store, 0, Call::SteadyTime::max()).ends(), "so does one for the first revision");
}

void a_wait_ends_with_a_commit(ItemStoreFixture& fixture, Report& report) {
  ports::ItemStore& store = fixture.port();
  if (!waits(store, report)) return;
  for (int times = 0; times < 3; ++times) {
    WaitThread waiting(store, revision_of(store), Call::SteadyTime::max());
    report.ok(commit(store, {{category_of("shelf")}, {item_of("a")}, {}, {}}), "a batch is committed");
    report.expect(waiting.ends(), "a commit ends the wait for it");
  }
}

void a_wait_ends_with_its_deadline(ItemStoreFixture& fixture, Report& report) {
  ports::ItemStore& store = fixture.port();
  if (!waits(store, report)) return;
  const model::Revision newest = revision_of(store);
  report.expect(WaitThread(store, newest, fixture.clock.steady()).ends(), "a wait whose deadline is over ends at once");
  WaitThread waiting(store, newest, fixture.clock.steady() + seconds(5));
  fixture.clock.advance(seconds(5));
  report.expect(waiting.ends(), "a wait ends with its deadline, and that is a success");
}

void a_cancelled_wait_ends(ItemStoreFixture& fixture, Report& report) {
  ports::ItemStore& store = fixture.port();
  if (!waits(store, report)) return;
  WaitThread waiting(store, revision_of(store), Call::SteadyTime::max());
  waiting.cancel();
  report.fails(waiting.outcome(), ErrorCode::Cancelled, "a wait that nobody wants any more ends with Cancelled");
}

}  // namespace

Suite<ItemStoreFixture> item_store_waits() {
  return {
      {"AWaitForWhatIsThereEndsAtOnce", a_wait_for_what_is_there_ends_at_once},
      {"AWaitEndsWithACommit", a_wait_ends_with_a_commit},
      {"AWaitEndsWithItsDeadline", a_wait_ends_with_its_deadline},
      {"ACancelledWaitEnds", a_cancelled_wait_ends},
  };
}

}  // namespace kbase::conformance
