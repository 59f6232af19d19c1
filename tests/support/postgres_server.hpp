// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tests/support/child_process.hpp"
#include "tests/support/temporary_folder.hpp"

namespace kbase::tests {

inline constexpr const char* kNoPostgres = "this machine has no PostgreSQL server; Debian's package is postgresql-15";

/// Returns true if a PostgreSQL server is installed.
bool has_postgres();

/// A PostgreSQL server for one test, on a free port of the loopback address, with the user and database `kbase` and no
/// password. It runs as the user postgres if the test runs as root, because PostgreSQL refuses root. It is stopped with
/// the object. Create it on the main thread.
class PostgresServer {
 public:
  enum class Durability {
    None,  ///< without fsync: safe unless the machine crashes, and no test does that
    Full
  };
  struct Options {
    std::vector<std::string> settings;  ///< "name=value", as in postgresql.conf
    Durability durability = Durability::None;
  };

  /// Waits until the server answers. Throws std::runtime_error with the server's log if it does not.
  explicit PostgresServer(const Options& options);
  PostgresServer() : PostgresServer(Options{}) {}
  ~PostgresServer();
  PostgresServer(const PostgresServer&) = delete;
  PostgresServer& operator=(const PostgresServer&) = delete;

  /// Starts a replica of `primary`, which follows it until promote().
  static std::unique_ptr<PostgresServer> replica_of(const PostgresServer& primary);

  std::uint16_t port() const { return port_; }
  std::string address() const { return "127.0.0.1:" + std::to_string(port_); }
  std::string url() const { return "postgres://kbase@" + address() + "/kbase"; }

  /// Returns the first column of the first row of a query, or an empty string if there is no row. Uses a new
  /// connection. Throws std::runtime_error with the server's error message.
  std::string ask(const std::string& query) const;

  /// kill() kills the server and its backends at once; start() starts it again on the same port with the same data.
  void kill();
  void start();
  void send_signal(int signal) const { process_->send_signal(signal); }

  /// Returns the backends that serve connections, then the server process itself.
  std::vector<pid_t> processes() const;

  /// Promotes a replica and waits until it accepts writes.
  void promote() const;

 private:
  enum class Role { Primary, Replica };
  PostgresServer(const Options& options, Role role, const PostgresServer* primary);

  std::filesystem::path data() const { return folder_.path() / "data"; }
  bool is_started();
  bool answers() const;
  std::string log() const;
  Launch as_postgres(std::vector<std::string> command) const;
  void run(std::vector<std::string> command) const;

  const Options options_;
  std::uint16_t port_;
  TemporaryFolder folder_;
  std::optional<ChildProcess> process_;
};

}  // namespace kbase::tests
