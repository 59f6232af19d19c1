// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <chrono>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kbase::tests {

/// Command, environment and error log of a program.
struct Launch {
  std::vector<std::string> command;      ///< the program's path, then its arguments
  std::vector<std::string> environment;  ///< "NAME=value", in addition to this process's environment
  std::filesystem::path error_log;       ///< standard error is appended to this file; empty: inherited
};

/// A running program with pipes for its standard input and output. It is killed when the object is destroyed or this
/// process ends. Start it from the main thread: the kernel kills it when the thread that started it ends.
class ChildProcess {
 public:
  /// Throws std::runtime_error if the program cannot be started.
  explicit ChildProcess(const Launch& launch);
  ~ChildProcess();
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;

  void send_signal(int signal) const;

  /// Returns the next complete line of standard output without its line end; nullopt: timeout, or end of the output.
  std::optional<std::string> read_line(std::chrono::milliseconds timeout);

  /// Writes `input`, closes the program's standard input, and returns all of its output, up to its end or the timeout.
  std::string communicate(std::string_view input, std::chrono::milliseconds timeout);

  /// Returns the exit code, or 128 plus the signal number; nullopt: still running after the timeout.
  std::optional<int> wait(std::chrono::milliseconds timeout);

 private:
  bool read_some(std::chrono::steady_clock::time_point deadline);

  pid_t pid_ = -1;
  int pidfd_ = -1;
  int input_ = -1;
  int output_ = -1;
  std::string unread_;
  std::optional<int> exit_code_;
};

/// Exit code and output of a finished program.
struct Outcome {
  int exit_code = -1;  ///< see ChildProcess::wait; -1: killed after the timeout
  std::string output;
  std::string errors;
};

/// Runs a program until it exits.
Outcome run_program(Launch launch, std::string_view input = {},
                    std::chrono::milliseconds timeout = std::chrono::seconds(60));

/// Returns why no pseudo-terminal can be opened here, for example because /dev/pts is not mounted. Empty: one can.
std::string missing_terminal();

}  // namespace kbase::tests
