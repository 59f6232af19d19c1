// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <optional>
#include <string>

#include "tests/support/server_process.hpp"
#include "tests/support/temporary_folder.hpp"

namespace kbase::tests {

/// Server in its own process, so that an attack that stops or hangs it does not affect the test.
class TargetServer {
 public:
  /// kbase with items a, b, c, x/y, i0 to i999 and big (8 MiB), without rate limits, with two connection threads and
  /// a separate thread pool for searches.
  static TargetServer kbase();
  /// plain_pistache in one of its modes.
  static TargetServer plain_pistache(const std::string& mode);

  std::uint16_t port() const { return port_; }

  /// How long a test repeats an attack that harms only by chance.
  std::chrono::milliseconds timeout() const { return timeout_; }

  /// CPU time used so far.
  std::chrono::milliseconds used() const;
  /// Number of open descriptors.
  std::size_t descriptors() const;

  /// Returns what is wrong: the process has ended, or a new client gets no correct response; nullopt if nothing is
  /// wrong.
  std::optional<std::string> harm();

  /// Like ServerProcess::stop().
  std::optional<int> stop() { return process_.stop(); }
  /// What the process wrote to standard error.
  std::string log() const;

 private:
  TargetServer(std::unique_ptr<TemporaryFolder> folder, std::vector<std::string> command,
               std::chrono::milliseconds timeout);

  std::unique_ptr<TemporaryFolder> folder_;
  ServerProcess process_;
  std::uint16_t port_;
  int pid_;
  std::chrono::milliseconds timeout_;
};

}  // namespace kbase::tests
