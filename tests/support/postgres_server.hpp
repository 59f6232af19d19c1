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

/// Whether there is a PostgreSQL to be started.
bool has_postgres();

/// A PostgreSQL of a test's own at a free port of the loopback address, with the user and database `kbase` and no
/// password. It runs as the user postgres where the test is root, as it refuses root. It is killed with the object.
/// Make it on the main thread.
class PostgresServer {
 public:
  enum class Durability {
    None,  ///< without fsync: for tests that never kill the machine, which none does
    Full
  };
  struct Options {
    std::vector<std::string> settings;  ///< "name=value", as in postgresql.conf
    Durability durability = Durability::None;
  };

  /// Waits until it answers. Throws std::runtime_error with its log where it does not.
  explicit PostgresServer(const Options& options);
  PostgresServer() : PostgresServer(Options{}) {}
  ~PostgresServer();
  PostgresServer(const PostgresServer&) = delete;
  PostgresServer& operator=(const PostgresServer&) = delete;

  /// A replica of `primary`, which follows it until promote().
  static std::unique_ptr<PostgresServer> replica_of(const PostgresServer& primary);

  std::uint16_t port() const { return port_; }
  std::string address() const { return "127.0.0.1:" + std::to_string(port_); }
  std::string url() const { return "postgres://kbase@" + address() + "/kbase"; }

  /// The first column of the first row of a query, empty where there is none; asked on a connection of its own. Throws
  /// std::runtime_error with what the server said.
  std::string ask(const std::string& query) const;

  /// Ends it at once, with all of its processes' work, and starts it again at the same port with what it had.
  void kill();
  void start();
  void send_signal(int signal) const { process_->send_signal(signal); }

  /// The processes that serve connections, and last the server itself.
  std::vector<pid_t> processes() const;

  /// Makes a primary of a replica, and waits until it takes writes.
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
