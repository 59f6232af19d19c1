// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <signal.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <stdexcept>

#include "app/plugin_check/check.hpp"

namespace kbase::tests {
namespace {

namespace fs = std::filesystem;
using namespace plugin_check;
using std::chrono::milliseconds;

Check check_that(std::function<void(Bench&)> does) {
  Check check;
  check.subject = "plugin";
  check.name = "IsTried";
  check.expected = "it ends";
  check.rule = {"kbase/cache.h", "kb_cache_v1.get"};
  check.run = std::move(does);
  return check;
}

/// Returns what the only violation observed.
std::string observed(const Outcome& outcome) {
  if (outcome.violations.size() != 1) return std::to_string(outcome.violations.size()) + " violations";
  return outcome.violations.front().observed;
}

TEST(CheckRunner, PassesACheckThatFindsNothing) {
  const Outcome outcome = run_check(check_that([](Bench& bench) { bench.report.expect(true, "a rule"); }));
  EXPECT_EQ(outcome.verdict, Verdict::Passed);
  EXPECT_TRUE(outcome.violations.empty());
}

TEST(CheckRunner, ReportsWhatACheckFound) {
  const Outcome outcome = run_check(check_that([](Bench& bench) { bench.report.expect(false, "a rule", "a fact"); }));
  EXPECT_EQ(outcome.verdict, Verdict::Failed);
  ASSERT_EQ(outcome.violations.size(), 1U);
  EXPECT_EQ(outcome.violations.front().expected, "a rule");
  EXPECT_EQ(outcome.violations.front().observed, "a fact");
}

TEST(CheckRunner, ReportsAViolatedRuleOnce) {
  const Outcome outcome = run_check(check_that([](Bench& bench) {
    for (int i = 0; i < 1000; ++i) bench.report.expect(false, "a rule", "time " + std::to_string(i));
  }));
  EXPECT_EQ(observed(outcome), "time 0");
}

TEST(CheckRunner, ReportsAdviceAsAWarning) {
  Check check = check_that([](Bench& bench) { bench.report.expect(false, "a rule", "a fact"); });
  check.weight = Weight::Advice;
  EXPECT_EQ(run_check(check).verdict, Verdict::Warned);
}

TEST(CheckRunner, ReportsWhyACheckWasSkipped) {
  const Outcome outcome = run_check(check_that([](Bench& bench) { bench.report.skip("not applicable"); }));
  EXPECT_EQ(outcome.verdict, Verdict::Skipped);
  EXPECT_EQ(outcome.skipped, "not applicable");
}

TEST(CheckRunner, SurvivesACrashAndNamesTheSignalAndTheStep) {
  const Outcome outcome = run_check(check_that([](Bench& bench) {
    bench.steps.enter("get");
    ::raise(SIGSEGV);
  }));
  EXPECT_EQ(outcome.verdict, Verdict::Failed);
  EXPECT_EQ(observed(outcome), "get was killed by SIGSEGV (Segmentation fault)");
  EXPECT_EQ(outcome.violations.front().expected, "it ends");
}

TEST(CheckRunner, SurvivesAnAbortAndKeepsTheOutput) {
  const Outcome outcome = run_check(check_that([](Bench&) {
    std::fputs("assertion failed\n", stderr);
    std::abort();
  }));
  EXPECT_EQ(observed(outcome), "it was killed by SIGABRT (Aborted)");
  EXPECT_EQ(outcome.printed, "assertion failed\n");
}

TEST(CheckRunner, KillsACheckThatHangs) {
  Check check = check_that([](Bench& bench) {
    bench.steps.enter("take");
    for (;;) ::pause();
  });
  check.limit = milliseconds(100);
  const Outcome outcome = run_check(check);
  EXPECT_EQ(observed(outcome), "take did not end within 100 ms");
  EXPECT_LT(outcome.took, std::chrono::seconds(5));
}

TEST(CheckRunner, ReportsAnExit) {
  const Outcome outcome = run_check(check_that([](Bench&) { ::_exit(0); }));
  EXPECT_EQ(observed(outcome), "it ended the process with exit code 0");
  EXPECT_EQ(outcome.rule.about, "rule 7 of the headers");
}

TEST(CheckRunner, ReportsAnException) {
  const Outcome outcome = run_check(check_that([](Bench& bench) {
    bench.steps.enter("put");
    throw std::runtime_error("no space");
  }));
  EXPECT_EQ(observed(outcome), "put threw an exception: no space");
  EXPECT_EQ(outcome.rule.about, "rule 5 of the headers");
  EXPECT_EQ(observed(run_check(check_that([](Bench&) { throw 7; }))), "it threw an exception: of an unknown type");
}

void crash() { ::raise(SIGBUS); }

TEST(CheckRunner, ReportsACrashAtTheEndOfTheProcess) {
  Check check = check_that([](Bench&) { std::atexit(crash); });
  EXPECT_EQ(run_check(check).verdict, Verdict::Passed);
  check.exit = Exit::Orderly;
  EXPECT_EQ(observed(run_check(check)), "it was killed by SIGBUS (Bus error)");
}

TEST(CheckRunner, KillsWhatACheckLeavesRunning) {
  int ends[2];
  ASSERT_EQ(::pipe2(ends, O_CLOEXEC), 0);
  const Outcome outcome = run_check(check_that([&](Bench&) {
    if (::fork() == 0)
      for (;;) ::pause();
  }));
  EXPECT_EQ(outcome.verdict, Verdict::Passed);
  ::close(ends[1]);
  pollfd end{ends[0], POLLIN, 0};
  EXPECT_EQ(::poll(&end, 1, 5000), 1) << "a process still holds the pipe";
  ::close(ends[0]);
}

TEST(CheckRunner, GivesEachCheckAnEmptyFolderAndRemovesIt) {
  Outcome outcome = run_check(check_that([](Bench& bench) {
    bench.report.expect(fs::is_empty(bench.scratch), "it is empty");
    std::ofstream(bench.scratch / "file") << "content";
    bench.report.skip(bench.scratch.string());
  }));
  ASSERT_EQ(outcome.verdict, Verdict::Skipped);
  EXPECT_FALSE(fs::exists(outcome.skipped));
}

TEST(CheckRunner, ReplacesInvalidUtf8) {
  EXPECT_EQ(observed(run_check(check_that([](Bench& bench) { bench.report.expect(false, "a rule", "\xFF!"); }))),
            "\uFFFD!");
}

}  // namespace
}  // namespace kbase::tests
