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

/// What a program is started with.
struct Launch {
  std::vector<std::string> command;      ///< the program's path, then its arguments
  std::vector<std::string> environment;  ///< "NAME=value", beside what this process has
  std::filesystem::path error_log;       ///< standard error is appended here; empty: inherited
};

/// A running program with pipes at its standard input and output. It never outlives the object, nor this process. Start
/// it from the main thread: the kernel ends it with the thread that started it.
class ChildProcess {
 public:
  /// Throws std::runtime_error where the program cannot be started.
  explicit ChildProcess(const Launch& launch);
  ~ChildProcess();
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;

  void send_signal(int signal) const;

  /// The next whole line of standard output without its end; nullopt: none came in time, or the output ended.
  std::optional<std::string> read_line(std::chrono::milliseconds timeout);

  /// Writes `input`, ends the program's standard input, and gives its whole output once it closed it or time is up.
  std::string communicate(std::string_view input, std::chrono::milliseconds timeout);

  /// The exit code, or 128 and the signal's number; nullopt: still running when time was up.
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

/// How a program ended.
struct Outcome {
  int exit_code = -1;  ///< as ChildProcess::wait; -1: it had to be killed
  std::string output;
  std::string errors;
};

/// Runs a program to its end.
Outcome run_program(Launch launch, std::string_view input = {},
                    std::chrono::milliseconds timeout = std::chrono::seconds(60));

}  // namespace kbase::tests
