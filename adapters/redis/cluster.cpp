// SPDX-License-Identifier: Apache-2.0
#include "adapters/redis/cluster.hpp"

#include <algorithm>

#include "adapters/redis/error.hpp"

namespace kbase::redis {

Cluster::Cluster(const std::vector<Endpoint>& endpoints, const Client& client) : client_(client) {
  for (const Endpoint& endpoint : endpoints) server_at(endpoint);
}

std::shared_ptr<Server> Cluster::server_at(const Endpoint& endpoint) {
  const std::lock_guard lock(mutex_);
  const auto known =
      std::find_if(nodes_.begin(), nodes_.end(), [&](const auto& node) { return node->endpoint() == endpoint; });
  if (known != nodes_.end()) return *known;
  return nodes_.emplace_back(std::make_shared<Server>(endpoint, client_, Role::Any));
}

model::Result<std::shared_ptr<Server>> Cluster::server_of(std::string_view key, const Timeout& timeout) {
  const auto found = map(timeout);
  if (!found) return found.error();
  const std::uint16_t number = (*found)->server_of_slot[slot_of(key)];
  if (number != 0) return (*found)->servers[number - 1U];
  doubt();
  return model::Error{model::ErrorCode::Unavailable,
                      "the Redis cluster does not serve all of its slots: look at CLUSTER INFO on its nodes",
                      "redis cluster: nobody keeps slot " + std::to_string(slot_of(key)),
                      {},
                      {}};
}

model::Result<Topology::Servers> Cluster::servers(const Timeout& timeout) {
  const auto found = map(timeout);
  if (!found) return found.error();
  return (*found)->servers;
}

model::Result<Cluster::MapPointer> Cluster::map(const Timeout& timeout) {
  return map_.get(timeout, [&](const MapPointer&) { return look_up(timeout); });
}

model::Result<Cluster::MapPointer> Cluster::look_up(const Timeout& timeout) {
  Servers nodes;
  {
    const std::lock_guard lock(mutex_);
    nodes = nodes_;
  }
  model::Error last;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    if (auto exhausted = timeout.exhausted()) return *std::move(exhausted);
    auto map = ask(*nodes[first_ % nodes.size()], timeout);
    if (map) return map;
    last = map.error();
    ++first_;
  }
  return last.during("ask the cluster who keeps which slot");
}

model::Result<Cluster::MapPointer> Cluster::ask(Server& node, const Timeout& timeout) {
  const auto reply = node.ask({"CLUSTER", "SLOTS"}, timeout);
  if (!reply) return reply.error();
  const auto made = std::make_shared<Map>();
  for (const Reply& range : reply->elements)
    if (!add(*made, range, node.endpoint())) return unexpected(node.endpoint(), "CLUSTER SLOTS");
  if (!made->servers.empty()) return MapPointer(made);
  return model::Error{model::ErrorCode::Unavailable,
                      "the Redis cluster serves no slot yet: make it with redis-cli --cluster create",
                      "redis " + node.endpoint().text() + ": CLUSTER SLOTS is empty",
                      {},
                      {}};
}

/// Parses a range of slots: first slot, last slot, then nodes with address and port, the primary before its replicas. A
/// node that does not know its own address leaves it empty; the address is then that of the queried node.
bool Cluster::add(Map& map, const Reply& range, const Endpoint& asked) {
  if (range.elements.size() < 3 || range.elements[2].elements.size() < 2) return false;
  const std::int64_t first = range.elements[0].integer;
  const std::int64_t last = range.elements[1].integer;
  const std::int64_t port = range.elements[2].elements[1].integer;
  if (first < 0 || last < first || last >= kSlots || port <= 0 || port > 65535) return false;
  const std::string& host = range.elements[2].elements[0].text;
  const auto server = server_at({host.empty() ? asked.host : host, static_cast<std::uint16_t>(port)});
  auto place = std::find(map.servers.begin(), map.servers.end(), server);
  if (place == map.servers.end()) place = map.servers.insert(map.servers.end(), server);
  const auto number = static_cast<std::uint16_t>(place - map.servers.begin() + 1);
  std::fill(map.server_of_slot.begin() + first, map.server_of_slot.begin() + last + 1, number);
  return true;
}

}  // namespace kbase::redis
