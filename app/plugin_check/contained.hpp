// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>

#include "app/plugin_check/check.hpp"

namespace kbase::plugin_check {

/// What may come between a piece of work and its end.
enum class Crash {
  None,
  Late,    ///< it was still at work when its time was over
  Killed,  ///< by a signal
  Exited,  ///< somebody ended the process from within
  Threw,   ///< an exception came out
};

/// How a piece of work ended that had a process of its own.
struct ExitStatus {
  std::optional<std::string> answer;  ///< what the work returned; nullopt: the process ended before it did
  Crash crash = Crash::None;
  std::string told;     ///< the mishap in words that follow a name: "was killed by SIGSEGV ..."
  std::string printed;  ///< the end of what it wrote to standard output and error
  std::chrono::milliseconds took{0};
};

/// Runs `work` in a forked process that ends with this one, and with it whatever it started. Its standard streams are
/// files that only the parent reads, its signals are at their defaults, its core is not dumped. This process must have
/// one thread. Throws std::system_error where the machine has no process or file left.
ExitStatus run_contained(std::chrono::milliseconds limit, Exit exit, Steps& steps,
                         const std::function<std::string()>& work);

}  // namespace kbase::plugin_check
