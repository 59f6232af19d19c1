// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <optional>
#include <string>

#include "tests/support/server_process.hpp"
#include "tests/support/temporary_folder.hpp"

namespace kbase::tests {

/// A server in a process of its own that may be killed, frozen or confused without harm to anybody else.
class Victim {
 public:
  /// kbase, with items a, b, c, x/y, i0 to i999 and big (8 MiB), nobody's requests limited, two threads for connections
  /// and the search on a pool of others.
  static Victim kbase();
  /// plain_pistache in one of its modes.
  static Victim plain_pistache(const std::string& mode);

  std::uint16_t port() const { return port_; }

  /// How long a test goes on for what happens only once in a while.
  std::chrono::milliseconds timeout() const { return timeout_; }

  /// The processor time that it has used.
  std::chrono::milliseconds used() const;
  /// How many descriptors it has open.
  std::size_t descriptors() const;

  /// What is wrong with it now: gone, or without a right answer for a new client; nullopt: nothing.
  std::optional<std::string> harm();

  /// As ServerProcess::stop.
  std::optional<int> stop() { return process_.stop(); }
  /// What it wrote to standard error.
  std::string log() const;

 private:
  Victim(std::unique_ptr<TemporaryFolder> folder, std::vector<std::string> command, std::chrono::milliseconds timeout);

  std::unique_ptr<TemporaryFolder> folder_;
  ServerProcess process_;
  std::uint16_t port_;
  int pid_;
  std::chrono::milliseconds timeout_;
};

}  // namespace kbase::tests
