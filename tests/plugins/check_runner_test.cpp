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
  check.wanted = "it comes to its end";
  check.rule = {"a rule"};
  check.run = std::move(does);
  return check;
}

/// Returns what the only violation observed.
std::string seen(const Outcome& outcome) {
  if (outcome.shortcomings.size() != 1) return std::to_string(outcome.shortcomings.size()) + " shortcomings";
  return outcome.shortcomings.front().seen;
}

TEST(CheckRunner, PassesACheckThatFindsNothing) {
  const Outcome outcome = run_check(check_that([](Bench& bench) { bench.report.expect(true, "all is well"); }));
  EXPECT_EQ(outcome.verdict, Verdict::Passed);
  EXPECT_TRUE(outcome.shortcomings.empty());
}

TEST(CheckRunner, TellsWhatACheckFound) {
  const Outcome outcome = run_check(check_that([](Bench& bench) { bench.report.expect(false, "a rule", "a fact"); }));
  EXPECT_EQ(outcome.verdict, Verdict::Failed);
  ASSERT_EQ(outcome.shortcomings.size(), 1U);
  EXPECT_EQ(outcome.shortcomings.front().wanted, "a rule");
  EXPECT_EQ(outcome.shortcomings.front().seen, "a fact");
}

TEST(CheckRunner, TellsARuleOnceHoweverOftenItWasBroken) {
  const Outcome outcome = run_check(check_that([](Bench& bench) {
    for (int i = 0; i < 1000; ++i) bench.report.expect(false, "a rule", "time " + std::to_string(i));
  }));
  EXPECT_EQ(seen(outcome), "time 0");
}

TEST(CheckRunner, MakesAWarningOfAdvice) {
  Check check = check_that([](Bench& bench) { bench.report.expect(false, "a rule", "a fact"); });
  check.weight = Weight::Advice;
  EXPECT_EQ(run_check(check).verdict, Verdict::Warned);
}

TEST(CheckRunner, TellsWhyACheckWasSkipped) {
  const Outcome outcome = run_check(check_that([](Bench& bench) { bench.report.skip("there is nothing to try"); }));
  EXPECT_EQ(outcome.verdict, Verdict::Skipped);
  EXPECT_EQ(outcome.skipped, "there is nothing to try");
}

TEST(CheckRunner, SurvivesACrashAndNamesTheSignalAndTheStep) {
  const Outcome outcome = run_check(check_that([](Bench& bench) {
    bench.steps.enter("get");
    ::raise(SIGSEGV);
  }));
  EXPECT_EQ(outcome.verdict, Verdict::Failed);
  EXPECT_EQ(seen(outcome), "get was killed by SIGSEGV (Segmentation fault)");
  EXPECT_EQ(outcome.shortcomings.front().wanted, "it comes to its end");
}

TEST(CheckRunner, SurvivesAnAbortAndKeepsWhatWasPrinted) {
  const Outcome outcome = run_check(check_that([](Bench&) {
    std::fputs("assertion failed\n", stderr);
    std::abort();
  }));
  EXPECT_EQ(seen(outcome), "it was killed by SIGABRT (Aborted)");
  EXPECT_EQ(outcome.printed, "assertion failed\n");
}

TEST(CheckRunner, EndsACheckThatHangs) {
  Check check = check_that([](Bench& bench) {
    bench.steps.enter("take");
    for (;;) ::pause();
  });
  check.limit = milliseconds(100);
  const Outcome outcome = run_check(check);
  EXPECT_EQ(seen(outcome), "take did not end within 100 ms");
  EXPECT_LT(outcome.took, std::chrono::seconds(5));
}

TEST(CheckRunner, NoticesAnExit) {
  const Outcome outcome = run_check(check_that([](Bench&) { ::_exit(0); }));
  EXPECT_EQ(seen(outcome), "it ended the process with exit code 0");
  EXPECT_EQ(outcome.rule.name, "rule 7 of the headers");
}

TEST(CheckRunner, NoticesAnException) {
  const Outcome outcome = run_check(check_that([](Bench& bench) {
    bench.steps.enter("put");
    throw std::runtime_error("no room");
  }));
  EXPECT_EQ(seen(outcome), "put let an exception out: no room");
  EXPECT_EQ(outcome.rule.name, "rule 5 of the headers");
  EXPECT_EQ(seen(run_check(check_that([](Bench&) { throw 7; }))), "it let an exception out: of an unknown type");
}

void crash() {
  ::raise(SIGBUS);
}

TEST(CheckRunner, NoticesACrashOfTheEndOfTheProcessWhereThatIsTried) {
  Check check = check_that([](Bench&) { std::atexit(crash); });
  EXPECT_EQ(run_check(check).verdict, Verdict::Passed);
  check.exit = Exit::Orderly;
  EXPECT_EQ(seen(run_check(check)), "it was killed by SIGBUS (Bus error)");
}

TEST(CheckRunner, EndsWhatACheckLeavesRunning) {
  int ends[2];
  ASSERT_EQ(::pipe2(ends, O_CLOEXEC), 0);
  const Outcome outcome = run_check(check_that([&](Bench&) {
    if (::fork() == 0)
      for (;;) ::pause();
  }));
  EXPECT_EQ(outcome.verdict, Verdict::Passed);
  ::close(ends[1]);
  pollfd end{ends[0], POLLIN, 0};
  EXPECT_EQ(::poll(&end, 1, 5000), 1) << "somebody still holds the pipe";
  ::close(ends[0]);
}

TEST(CheckRunner, GivesEachCheckAnEmptyFolderThatGoesWithIt) {
  Outcome outcome = run_check(check_that([](Bench& bench) {
    bench.report.expect(fs::is_empty(bench.scratch), "it is empty");
    std::ofstream(bench.scratch / "file") << "content";
    bench.report.skip(bench.scratch.string());
  }));
  ASSERT_EQ(outcome.verdict, Verdict::Skipped);
  EXPECT_FALSE(fs::exists(outcome.skipped));
}

TEST(CheckRunner, TakesTextThatIsNoUtf8) {
  EXPECT_EQ(seen(run_check(check_that([](Bench& bench) { bench.report.expect(false, "a rule", "\xFF!"); }))),
            "\uFFFD!");
}

}  // namespace
}  // namespace kbase::tests
