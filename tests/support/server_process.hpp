// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <string>

#include "tests/support/child_process.hpp"

namespace kbase::tests {

/// A `kbase serve` that accepts connections. It is killed with the object where it still runs.
class ServerProcess {
 public:
  /// Starts it and waits for its line "listening on http://ADDRESS:PORT/api/v1". Throws std::runtime_error with what it
  /// logged where the line does not come within 30 seconds.
  explicit ServerProcess(const Launch& launch);

  /// What follows "listening on ".
  const std::string& base_url() const { return base_url_; }

  void send_signal(int signal) const { process_.send_signal(signal); }

  /// As ChildProcess::wait.
  std::optional<int> wait(std::chrono::milliseconds timeout) { return process_.wait(timeout); }

  /// Asks it to drain, and gives its exit code; nullopt: it did not end within 15 seconds.
  std::optional<int> stop();

  /// What else it wrote to standard output, once it has ended.
  std::string extra_output() { return process_.communicate({}, std::chrono::seconds(1)); }

 private:
  ChildProcess process_;
  std::string base_url_;
};

}  // namespace kbase::tests
