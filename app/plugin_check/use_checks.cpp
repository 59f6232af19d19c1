// SPDX-License-Identifier: Apache-2.0
#include <poll.h>

#include <thread>

#include "app/plugin_check/rules.hpp"
#include "app/plugin_check/table_bench.hpp"

namespace kbase::plugin_check {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kSoon{50};
constexpr milliseconds kNoise{1000};  // a longer call is slow every time, so it is not retried
constexpr int kThreads = 8;

/// A complete life of an instance: create, writes, reads, destroy.
void live(TableBench& bench, Mode mode) {
  const auto configuration = bench.configuration();
  if (!configuration) return;
  const auto caller = bench.caller(mode);
  TableInstance instance(bench, *caller, *configuration);
  if (!instance.is_made()) return;
  instance.ask_health(*caller);
  for (int tag = 0; tag < 3; ++tag) instance.smoke_test()->write(*caller, tag);
  for (int tag = 0; tag < 3; ++tag) instance.smoke_test()->read(*caller, tag);
}

void reads_no_further_than_the_end(TableBench& bench) {
  live(bench, {.memory = Mode::Memory::AtTheEdge});
}

void copies_what_it_keeps(TableBench& bench) {
  live(bench, {.memory = Mode::Memory::Overwritten});
}

void takes_structs_of_a_newer_server(TableBench& bench) {
  live(bench, {.longer_structs = true});
}

void lives_with_the_oldest_host(TableBench& bench) {
  live(bench, {});
}

void a_sink_that_stops_is_obeyed(TableBench& bench) {
  const auto configuration = bench.configuration();
  if (!configuration) return;
  const auto caller = bench.caller();
  TableInstance instance(bench, *caller, *configuration);
  if (!instance.is_made()) return;
  instance.smoke_test()->write(*caller, 0);
  instance.smoke_test()->write(*caller, 1);
  if (!instance.smoke_test()->stop(*caller)) return bench.report().skip("no function has a sink");
  instance.smoke_test()->read(*caller, 0);
}

void a_sink_is_called_during_its_call_alone(TableBench& bench) {
  const auto configuration = bench.configuration();
  if (!configuration) return;
  const auto caller = bench.caller();
  caller->watch_late_calls();
  TableInstance instance(bench, *caller, *configuration);
  if (!instance.is_made()) return;
  for (int tag = 0; tag < 3; ++tag) {
    instance.smoke_test()->write(*caller, tag);
    instance.smoke_test()->read(*caller, tag);
    instance.ask_health(*caller);
  }
  bench.bench().steps.enter("waiting for late calls");
  ::poll(nullptr, 0, 100);  // time for a plugin's thread to make a late call
  instance.destroy();
}

void instances_are_independent(TableBench& bench) {
  const auto first_settings = bench.configuration("first");
  const auto second_settings = bench.configuration("second");
  if (!first_settings || !second_settings) return;
  const auto caller = bench.caller();
  TableInstance first(bench, *caller, *first_settings);
  TableInstance second(bench, *caller, *second_settings);
  if (!first.is_made() || !second.is_made()) return;
  first.smoke_test()->write(*caller, 0);
  second.smoke_test()->write(*caller, 1);
  first.smoke_test()->write(*caller, 2);
  first.smoke_test()->read(*caller, 0);
  first.destroy();
  second.smoke_test()->read(*caller, 1);
  second.smoke_test()->write(*caller, 3);
  second.smoke_test()->read(*caller, 3);
}

void eight_threads_may_call_at_once(TableBench& bench) {
  const auto configuration = bench.configuration();
  if (!configuration) return;
  const auto caller = bench.caller();
  TableInstance instance(bench, *caller, *configuration);
  if (!instance.is_made()) return;
  for (int tag = 0; tag < kThreads; ++tag) instance.smoke_test()->write(*caller, tag);
  std::vector<std::thread> threads;
  for (int tag = 0; tag < kThreads; ++tag)
    threads.emplace_back([&, tag] {
      for (int i = 0; i < 200; ++i) instance.smoke_test()->read(*caller, tag);
    });
  instance.smoke_test()->write(*caller, kThreads);
  for (std::thread& thread : threads) thread.join();
  instance.smoke_test()->read(*caller, kThreads);
}

/// Uses an instance with calls that are already cancelled or past their deadline; returns the longest one.
Caller::Longest use_impatiently(TableBench& bench, const std::string& configuration, Timeout timeout) {
  const auto patient = bench.caller();
  const auto impatient = bench.caller({}, timeout);
  TableInstance instance(bench, *patient, configuration);
  if (!instance.is_made()) return {};
  instance.ask_health(*impatient);
  if (instance.smoke_test() == nullptr) return impatient->longest();
  instance.smoke_test()->write(*patient, 0);
  instance.smoke_test()->read(*impatient, 0);
  instance.smoke_test()->write(*impatient, 1);
  instance.smoke_test()->read(*impatient, 1);
  instance.smoke_test()->contend(*patient, *impatient);
  return impatient->longest();
}

/// Tries up to three times, because a busy machine may delay a call.
void expect_soon(TableBench& bench, Timeout timeout, const char* wanted) {
  Caller::Longest least{"", milliseconds::max()};
  bool is_noise = true;
  for (int tries = 0; tries < 3 && least.took > kSoon && is_noise; ++tries) {
    const auto configuration = bench.configuration(std::to_string(tries));
    if (!configuration) return;
    const Caller::Longest longest = use_impatiently(bench, *configuration, timeout);
    if (longest.took < least.took) least = longest;
    is_noise = longest.took < kNoise;
  }
  bench.report().expect(least.took <= kSoon, wanted,
                        least.function + " took " + std::to_string(least.took.count()) + " ms");
}

void a_passed_deadline_ends_a_call(TableBench& bench) {
  expect_soon(bench, Timeout::DeadlinePassed, "a call whose deadline has passed ends within 50 ms");
}

void a_cancelled_call_ends(TableBench& bench) {
  expect_soon(bench, Timeout::Cancelled, "a call that was cancelled ends within 50 ms");
}

}  // namespace

std::span<const TableCheck> use_checks() {
  static constexpr TableCheck kChecks[] = {
      {"ReadsNoFurtherThanTheEnd", "nothing is read or written beyond the end of what is lent", rules::kViews,
       reads_no_further_than_the_end},
      {"CopiesWhatItKeeps", "what a pointer or view leads to is a loan until the call returns", rules::kLoans,
       copies_what_it_keeps},
      {"TakesStructsOfANewerServer", "a struct may be longer than the plugin knows it", rules::kStructsGrow,
       takes_structs_of_a_newer_server},
      {"LivesWithTheOldestHost", "a host table may end with the member that it ended with in ABI 1.0",
       rules::kStructsGrow, lives_with_the_oldest_host},
      {"ASinkThatStopsIsObeyed", "a sink that says stop is not called again", rules::kStopped,
       a_sink_that_stops_is_obeyed},
      {"ASinkIsCalledDuringItsCallAlone", "a sink is not called once its function has returned", rules::kLoans,
       a_sink_is_called_during_its_call_alone},
      {"InstancesAreIndependent", "several instances may live at once", rules::kCreate, instances_are_independent},
      {"EightThreadsMayCallAtOnce", "any number of threads may call at once", rules::kThreads,
       eight_threads_may_call_at_once},
      {"APassedDeadlineEndsACall", "a call whose deadline has passed ends soon", rules::kDeadline,
       a_passed_deadline_ends_a_call},
      {"ACancelledCallEnds", "a call that was cancelled ends soon", rules::kCancelled, a_cancelled_call_ends},
  };
  return kChecks;
}

}  // namespace kbase::plugin_check
