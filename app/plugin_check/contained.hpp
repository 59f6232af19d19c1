// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace kbase::plugin_check {

/// The current step of a contained process, in shared memory, so that the parent can read it after a crash. Any thread
/// may write; the latest step is kept.
class Steps {
 public:
  Steps();
  ~Steps();
  Steps(const Steps&) = delete;
  Steps& operator=(const Steps&) = delete;

  void enter(std::string_view step) noexcept;
  void leave() noexcept { enter({}); }

  /// Empty: no particular step.
  std::string last() const;

 private:
  struct Shared;
  Shared* shared_;
};

/// How the process of a check ends after the check.
enum class Exit {
  AtOnce,   ///< without running any more plugin code
  Orderly,  ///< like a program: static destructors and exit handlers run
};

/// How the work was ended early.
enum class Crash {
  None,
  Late,    ///< did not finish in time
  Killed,  ///< killed by a signal
  Exited,  ///< the process exited from within the work
  Threw,   ///< an exception left the work
};

/// The end of a contained process.
struct ExitStatus {
  std::optional<std::string> answer;  ///< return value of the work; nullopt: the process ended early
  Crash crash = Crash::None;
  std::string description;  ///< the crash in words that follow a name: "was killed by SIGSEGV ..."
  std::string printed;      ///< end of its standard output and error
  std::chrono::milliseconds took{0};
};

/// Runs `work` in a forked process, which ends if this process ends; then everything that it started is killed. Its
/// standard output and error go to files that only the parent reads, signals have their default actions, and it writes
/// no core dump. This process must have exactly one thread. Throws std::system_error if a system call fails.
ExitStatus run_contained(std::chrono::milliseconds limit, Exit exit, Steps& steps,
                         const std::function<std::string()>& work);

}  // namespace kbase::plugin_check
