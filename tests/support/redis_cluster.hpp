// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include "tests/support/redis_server.hpp"

namespace kbase::tests {

/// A cluster of three primaries that share the slots evenly. The first can have a replica.
class RedisCluster {
 public:
  enum class Replica { None, OfTheFirst };

  /// Waits until every node sees that every slot is served.
  explicit RedisCluster(Replica replica = Replica::None);

  /// "redis+cluster://HOST:PORT,HOST:PORT,HOST:PORT"
  std::string url() const;

  RedisServer& node(std::size_t number) { return *nodes_.at(number); }
  std::size_t size() const { return nodes_.size(); }

  /// Returns the cluster node id of a node.
  std::string id_of(std::size_t number) const;

 private:
  std::vector<std::unique_ptr<RedisServer>> nodes_;
};

}  // namespace kbase::tests
