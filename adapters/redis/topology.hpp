// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "adapters/redis/server.hpp"

namespace kbase::redis {

/// Assignment of keys to servers. Thread-safe.
class Topology {
 public:
  using Servers = std::vector<std::shared_ptr<Server>>;

  virtual ~Topology() = default;

  /// Returns the server that accepts writes of `key`, as far as known. Can query other servers first; fails with
  /// connection errors.
  virtual model::Result<std::shared_ptr<Server>> server_of(std::string_view key, const Timeout& timeout) = 0;

  /// Returns the server at an endpoint that another server named.
  virtual std::shared_ptr<Server> server_at(const Endpoint& endpoint) = 0;

  /// Returns all servers that accept writes.
  virtual model::Result<Servers> servers(const Timeout& timeout) = 0;

  /// Marks the topology as outdated, after a server failed or redirected a command: the next use renews it.
  virtual void doubt() = 0;
};

}  // namespace kbase::redis
