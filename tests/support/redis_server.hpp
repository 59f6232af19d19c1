// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tests/support/child_process.hpp"
#include "tests/support/free_port.hpp"
#include "tests/support/redis_client.hpp"
#include "tests/support/temporary_folder.hpp"

namespace kbase::tests {

inline constexpr const char* kNoRedis = "this machine has no Redis; Debian's package is redis-tools";

/// Whether there is a Redis to be started.
bool has_redis();

/// A redis-server of a test's own, without persistence, at a free port of the loopback address. It is killed with the
/// object. Make it on the main thread.
class RedisServer {
 public:
  struct Options {
    std::vector<std::string> arguments;    ///< further ones, as on its command line: {"--requirepass", "secret"}
    std::vector<std::string> environment;  ///< "NAME=value"
    std::uint16_t port = 0;                ///< 0: a free one
    bool is_cluster_node = false;          ///< with a further free port for what nodes tell each other
  };

  /// Waits until it answers. Throws std::runtime_error with its log where it does not.
  explicit RedisServer(const Options& options);
  RedisServer() : RedisServer(Options{}) {}

  std::uint16_t port() const { return port_; }
  std::string address() const { return "127.0.0.1:" + std::to_string(port_); }
  std::string url() const { return "redis://" + address(); }
  const std::filesystem::path& folder() const { return folder_.path(); }

  /// Asks it on a connection of its own.
  redis::Reply ask(std::initializer_list<std::string_view> words) const { return RedisClient(port_).ask(words); }

  void send_signal(int signal) const { process_->send_signal(signal); }

  /// Ends it at once, and starts it again at the same port, with nothing of what it had.
  void kill();
  void start();

 private:
  bool is_started();
  std::string log() const;

  const Options options_;
  std::uint16_t port_;
  TemporaryFolder folder_;
  std::optional<ChildProcess> process_;
};

}  // namespace kbase::tests
