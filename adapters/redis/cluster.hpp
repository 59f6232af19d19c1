// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <atomic>
#include <mutex>

#include "adapters/redis/renewed.hpp"
#include "adapters/redis/slot.hpp"
#include "adapters/redis/topology.hpp"

namespace kbase::redis {

/// Redis Cluster: each slot of keys has its own primary (see "Redis cluster specification").
class Cluster final : public Topology {
 public:
  /// `endpoints` are the initial nodes, which are queried for the others.
  Cluster(const std::vector<Endpoint>& endpoints, const Client& client);

  model::Result<std::shared_ptr<Server>> server_of(std::string_view key, const Timeout& timeout) override;
  std::shared_ptr<Server> server_at(const Endpoint& endpoint) override;
  model::Result<Servers> servers(const Timeout& timeout) override;
  void doubt() override { map_.doubt(); }

 private:
  /// Assignment of slots to servers. Immutable.
  struct Map {
    Servers servers;
    std::array<std::uint16_t, kSlots> server_of_slot{};  // 1 is the first server; 0: no server
  };
  using MapPointer = std::shared_ptr<const Map>;

  model::Result<MapPointer> map(const Timeout& timeout);
  model::Result<MapPointer> look_up(const Timeout& timeout);
  model::Result<MapPointer> ask(Server& node, const Timeout& timeout);
  bool add(Map& map, const Reply& range, const Endpoint& asked);

  const Client client_;
  Renewed<const Map> map_;

  std::mutex mutex_;
  Servers nodes_;                      // all nodes seen so far, so that connections are kept
  std::atomic<std::size_t> first_{0};  // index of the node queried first; moves on after a failure
};

}  // namespace kbase::redis
