// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <string>

#include "tests/support/child_process.hpp"

namespace kbase::tests {

/// A `kbase serve` process that accepts connections. It is killed with the object if it still runs.
class ServerProcess {
 public:
  /// Starts the process and waits for its line "listening on http://ADDRESS:PORT/api/v1". Throws std::runtime_error
  /// with the process's log if the line does not appear within 30 seconds.
  explicit ServerProcess(const Launch& launch);

  /// The URL after "listening on ".
  const std::string& base_url() const { return base_url_; }

  void send_signal(int signal) const { process_.send_signal(signal); }

  /// See ChildProcess::wait.
  std::optional<int> wait(std::chrono::milliseconds timeout) { return process_.wait(timeout); }

  /// Requests a graceful shutdown and returns the exit code; nullopt: still running after 15 seconds.
  std::optional<int> stop();

  /// Returns the rest of its standard output. Call it after the process has ended.
  std::string extra_output() { return process_.communicate({}, std::chrono::seconds(1)); }

 private:
  ChildProcess process_;
  std::string base_url_;
};

}  // namespace kbase::tests
