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

/// Returns true if a Redis server is installed.
bool has_redis();

/// A redis-server for one test, without persistence, on a free port of the loopback address. It is killed with the
/// object. Create it on the main thread.
class RedisServer {
 public:
  struct Options {
    std::vector<std::string> arguments;    ///< extra command-line arguments: {"--requirepass", "secret"}
    std::vector<std::string> environment;  ///< "NAME=value"
    std::uint16_t port = 0;                ///< 0: a free port
    bool is_cluster_node = false;          ///< also uses a second free port for the cluster bus
  };

  /// Waits until the server answers. Throws std::runtime_error with the server's log if it does not.
  explicit RedisServer(const Options& options);
  RedisServer() : RedisServer(Options{}) {}

  std::uint16_t port() const { return port_; }
  std::string address() const { return "127.0.0.1:" + std::to_string(port_); }
  std::string url() const { return "redis://" + address(); }
  const std::filesystem::path& folder() const { return folder_.path(); }

  /// Sends a command on a new connection.
  redis::Reply ask(std::initializer_list<std::string_view> words) const { return RedisClient(port_).ask(words); }

  void send_signal(int signal) const { process_->send_signal(signal); }

  /// kill() kills the server at once; start() starts it again on the same port, without its data.
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
