// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <atomic>
#include <mutex>

#include "adapters/redis/renewed.hpp"
#include "adapters/redis/slot.hpp"
#include "adapters/redis/topology.hpp"

namespace kbase::redis {

/// A cluster: each slot of keys has a primary of its own ("Redis cluster specification").
class Cluster final : public Topology {
 public:
  /// `endpoints` are the nodes that are asked for the others first.
  Cluster(const std::vector<Endpoint>& endpoints, const Client& client);

  model::Result<std::shared_ptr<Server>> server_of(std::string_view key, const Timeout& timeout) override;
  std::shared_ptr<Server> server_at(const Endpoint& endpoint) override;
  model::Result<Servers> servers(const Timeout& timeout) override;
  void doubt() override { map_.doubt(); }

 private:
  /// Who keeps which slot; never changes once it is made.
  struct Map {
    Servers servers;
    std::array<std::uint16_t, kSlots> server_of_slot{};  // 1 is the first of them; 0: nobody
  };
  using MapPointer = std::shared_ptr<const Map>;

  model::Result<MapPointer> map(const Timeout& timeout);
  model::Result<MapPointer> look_up(const Timeout& timeout);
  model::Result<MapPointer> ask(Server& node, const Timeout& timeout);
  bool add(Map& map, const Reply& range, const Endpoint& asked);

  const Client client_;
  Renewed<const Map> map_;

  std::mutex mutex_;
  Servers nodes_;                      // all that were ever named, so that connections are kept
  std::atomic<std::size_t> first_{0};  // the one that is asked first: who is silent is asked last the next time
};

}  // namespace kbase::redis
