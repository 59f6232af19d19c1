// SPDX-License-Identifier: Apache-2.0
#include "app/plugin_host/call_frame.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>

#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <thread>

/// Each crash happens in a child process. The tests check its standard error and exit status.
namespace kbase::plugin_host {
namespace {

constexpr const char* kPlugin = "org.example.bad (/opt/kbase-bad.so)";

/// Not null if a sanitizer is linked in.
extern "C" void __sanitizer_set_death_callback(void (*)()) __attribute__((weak));

/// Whether `status` is that of a process ended by `signal`. A sanitizer catches the signal and exits instead.
bool ended_by(int status, int signal) {
  if (__sanitizer_set_death_callback != nullptr && WIFEXITED(status)) return WEXITSTATUS(status) != 0;
  return WIFSIGNALED(status) && WTERMSIG(status) == signal;
}

template <int kSignal> bool by(int status) { return ended_by(status, kSignal); }

void write_to_null() {
  // Volatile, so that the compiler does not predict it; not null, because sanitizers detect that earlier.
  volatile int* volatile nowhere = reinterpret_cast<volatile int*>(std::uintptr_t{8});
  *nowhere = 1;
}

/// Overflows the stack.
int overflow_stack(int depth) {
  volatile char page[4096] = {};
  page[depth % 4096] = 1;
  return depth < 0 ? 0 : overflow_stack(depth + 1) + page[0];
}

TEST(CallMark, NamesThePluginWhoseCodeRuns) {
  EXPECT_FALSE(crash::is_marked());
  {
    const CallMark outer("outer");
    EXPECT_STREQ(crash::current, "outer");
    {
      const CallMark inner("inner");
      EXPECT_STREQ(crash::current, "inner");
    }
    EXPECT_STREQ(crash::current, "outer");
  }
  EXPECT_FALSE(crash::is_marked());
}

TEST(CallMark, IsSpecificToItsThread) {
  const CallMark mark("mine");
  std::thread([] { EXPECT_FALSE(crash::is_marked()); }).join();
}

class CrashHandler : public testing::Test {
 protected:
  CrashHandler() { GTEST_FLAG_SET(death_test_style, "threadsafe"); }

  static std::string line(const char* signal) {
    return std::string("^kbase: fatal: ") + signal +
           " in plugin org.example.bad \\(/opt/kbase-bad.so\\); the process ends; report this to the plugin's vendor\n";
  }
};

TEST_F(CrashHandler, NamesThePluginOfASegmentationFault) {
  EXPECT_EXIT(
      {
        install_crash_handler();
        const CallMark mark(kPlugin);
        write_to_null();
      },
      by<SIGSEGV>, line("SIGSEGV"));
}

TEST_F(CrashHandler, NamesThePluginThatAborts) {
  EXPECT_EXIT(
      {
        install_crash_handler();
        const CallMark mark(kPlugin);
        std::abort();
      },
      by<SIGABRT>, line("SIGABRT"));
}

TEST_F(CrashHandler, NamesThePluginForEverySentSignal) {
  for (const auto& [signal, name] : {std::pair{SIGBUS, "SIGBUS"}, {SIGFPE, "SIGFPE"}, {SIGILL, "SIGILL"}})
    EXPECT_EXIT(
        {
          install_crash_handler();
          const CallMark mark(kPlugin);
          std::raise(signal);
        },
        [expected = signal](int status) { return ended_by(status, expected); }, line(name));
}

TEST_F(CrashHandler, RunsOnItsOwnStackAfterAStackOverflow) {
  EXPECT_EXIT(
      {
        install_crash_handler();
        std::thread([] {
          const CallMark mark(kPlugin);
          std::exit(overflow_stack(0));
        }).join();
      },
      by<SIGSEGV>, line("SIGSEGV"));
}

TEST_F(CrashHandler, ReportsNoPluginForACrashOfTheServer) {
  EXPECT_EXIT(
      {
        install_crash_handler();
        { const CallMark mark(kPlugin); }
        std::abort();
      },
      by<SIGABRT>, "^[^k]*$");
}

TEST_F(CrashHandler, CallsThePreviousHandler) {
  EXPECT_EXIT(
      {
        std::signal(SIGABRT, [](int) { std::_Exit(7); });
        install_crash_handler();
        const CallMark mark(kPlugin);
        std::abort();
      },
      testing::ExitedWithCode(7), line("SIGABRT"));
}

}  // namespace
}  // namespace kbase::plugin_host
