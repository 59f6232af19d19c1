// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "adapters/redis/server.hpp"

namespace kbase::redis {

/// Which server keeps which key. Any thread.
class Topology {
 public:
  using Servers = std::vector<std::shared_ptr<Server>>;

  virtual ~Topology() = default;

  /// The server that takes writes of `key`, as far as is known. May ask other servers first; errors as those of a
  /// connection.
  virtual model::Result<std::shared_ptr<Server>> server_of(std::string_view key, const Timeout& timeout) = 0;

  /// The server at an endpoint that another one named.
  virtual std::shared_ptr<Server> server_at(const Endpoint& endpoint) = 0;

  /// All that take writes.
  virtual model::Result<Servers> servers(const Timeout& timeout) = 0;

  /// A server failed, or said that it is not the one: look again before the next use.
  virtual void doubt() = 0;
};

}  // namespace kbase::redis
