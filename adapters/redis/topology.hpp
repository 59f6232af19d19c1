// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "adapters/redis/connection.hpp"

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

}  // namespace kbase::redis
