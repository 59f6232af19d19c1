// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "adapters/redis/connection.hpp"
#include "adapters/redis/location.hpp"

namespace kbase::redis {

/// Assignment of keys to servers: one server, the primary that sentinels name, or a cluster. Thread-safe.
class Topology {
 public:
  using Servers = std::vector<std::shared_ptr<Server>>;

  virtual ~Topology() = default;

  /// Returns the server that accepts writes of `key`, as far as known. Can query other servers first; fails with
  /// connection errors.
  virtual Result<std::shared_ptr<Server>> find_server(std::string_view key, const Timeout& timeout) = 0;

  /// Returns the server at an endpoint that another server named.
  virtual std::shared_ptr<Server> server_at(const Endpoint& endpoint) = 0;

  /// Returns all servers that accept writes.
  virtual Result<Servers> servers(const Timeout& timeout) = 0;

  /// Marks the topology as outdated, after a server failed or redirected a command: the next use renews it.
  virtual void invalidate() = 0;
};

inline constexpr std::uint16_t kSlots = 16384;

/// Returns the cluster slot of a key: CRC-16/XMODEM of its hash tag, or of the whole key (Redis cluster specification,
/// "Key distribution model" and "Hash tags").
std::uint16_t compute_slot(std::string_view key);

/// Topology of a single server that has all keys.
std::unique_ptr<Topology> make_single_server(const Endpoint& endpoint, const Client& client);

/// Topology of the primary that sentinels name `primary`. `sentinels`: access to the sentinels. `client`: settings for
/// the primary.
std::unique_ptr<Topology> make_sentinels(const std::vector<Endpoint>& endpoints, std::string primary,
                                         const Access& sentinels, const Client& client);

/// Topology of a Redis cluster. `endpoints` are the initial nodes, which are queried for the others.
std::unique_ptr<Topology> make_cluster(const std::vector<Endpoint>& endpoints, const Client& client);

struct KeyspaceOptions {
  /// URL in the format of Location. Its user information overrides `username` and `password`.
  std::string url = "redis://127.0.0.1:6379";
  std::string username;           ///< user of Redis's ACL; empty: the default user
  std::string password;           ///< empty: no AUTH unless `username` is set
  std::string sentinel_username;  ///< user at the sentinels, which have their own users
  std::string sentinel_password;
  TlsFiles tls;  ///< used if the URL selects TLS
  /// Number of connections to each server. Threads share them, so a few are enough; the second one is used while the
  /// reader of the first is busy.
  std::size_t connections = 2;
  /// Prefix of every key, so that several services can share a Redis.
  std::string prefix = "kbase:";
};

/// A command on one key, and its reply.
struct KeyedCommand {
  std::string key;
  Commands command;  ///< exactly one command
  Reply reply{};

  std::shared_ptr<Server> server{};  ///< server named by a redirection; null: the server of the key
  bool needs_asking = false;         ///< the slot is still migrating to this server; send ASKING first
};

/// Routes commands to the servers of one Redis: a single server, the primary that sentinels name, or the nodes of a
/// cluster. Connects on first use. Thread-safe.
class Keyspace {
 public:
  /// InvalidArgument: an option is not valid. `clock` must outlive the keyspace.
  static Result<Keyspace> open(const KeyspaceOptions& options, const ports::Clock& clock);

  const std::string& prefix() const { return prefix_; }

  /// Sends each command to the server of its key, grouped by server, and waits for the replies. Sends a command again
  /// only if the server redirected it to another one, so that it was not executed.
  ///
  /// Errors: connection errors, Deadline and Cancelled, after which it is unknown which commands were executed; and
  /// error replies of Redis, except NOSCRIPT, which is returned as the reply.
  Status run(std::span<KeyedCommand* const> keyed_commands, const Timeout& timeout);

  /// Writes a key that expires after one second to each server that accepts writes. A server that is full, a replica or
  /// unable to save is not healthy, even if it replies.
  Status health(const Timeout& timeout);

 private:
  struct ServerGroup;

  Keyspace(std::unique_ptr<Topology> topology, std::string prefix);
  Result<std::vector<ServerGroup>> group_by_server(std::span<KeyedCommand* const> keyed_commands,
                                                   const Timeout& timeout);
  Status send(std::span<KeyedCommand* const> keyed_commands, std::vector<KeyedCommand*>& retries,
              const Timeout& timeout);
  Status finish(ServerGroup& group, std::vector<KeyedCommand*>& retries, const Timeout& timeout);
  Result<bool> handle_reply(KeyedCommand& keyed, const Endpoint& server);
  Error invalidate_topology(const Error& error);

  std::unique_ptr<Topology> topology_;
  std::string prefix_;
};

}  // namespace kbase::redis
