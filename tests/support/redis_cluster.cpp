// SPDX-License-Identifier: Apache-2.0
#include "tests/support/redis_cluster.hpp"

#include <algorithm>
#include <functional>
#include <stdexcept>

#include "adapters/redis/topology.hpp"
#include "tests/support/eventually.hpp"

namespace kbase::tests {
namespace {

constexpr std::size_t kPrimaries = 3;

std::unique_ptr<RedisServer> start_node() {
  return std::make_unique<RedisServer>(
      RedisServer::Options{{"--cluster-node-timeout", "1000", "--repl-diskless-sync-delay", "0"}, {}, 0, true});
}

std::string cluster_port(const RedisServer& node) {
  return node.ask({"CONFIG", "GET", "cluster-port"}).elements.at(1).text;
}

bool sees_all(const RedisServer& node, std::size_t nodes) {
  const std::string info = node.ask({"CLUSTER", "INFO"}).text;
  return info.find("cluster_state:ok") != info.npos &&
         info.find("cluster_known_nodes:" + std::to_string(nodes)) != info.npos;
}

void expect_eventually(const char* what, const std::function<bool()>& condition) {
  if (!eventually(std::chrono::seconds(30), condition)) throw std::runtime_error(what);
}

}  // namespace

RedisCluster::RedisCluster(Replica replica) {
  const std::size_t count = replica == Replica::None ? kPrimaries : kPrimaries + 1;
  for (std::size_t i = 0; i < count; ++i) nodes_.push_back(start_node());
  for (std::size_t i = 0; i < count; ++i) node(i).ask({"CLUSTER", "SET-CONFIG-EPOCH", std::to_string(i + 1)});
  for (std::size_t i = 0; i < kPrimaries; ++i)
    node(i).ask({"CLUSTER", "ADDSLOTSRANGE", std::to_string(redis::kSlots * i / kPrimaries),
                 std::to_string(redis::kSlots * (i + 1) / kPrimaries - 1)});
  for (std::size_t i = 1; i < count; ++i)
    node(0).ask({"CLUSTER", "MEET", "127.0.0.1", std::to_string(node(i).port()), cluster_port(node(i))});
  expect_eventually("the nodes of the cluster did not find each other", [&] {
    return std::all_of(nodes_.begin(), nodes_.end(), [&](const auto& each) { return sees_all(*each, count); });
  });
  if (replica == Replica::None) return;
  nodes_.back()->ask({"CLUSTER", "REPLICATE", id_of(0)});
  expect_eventually("the replica did not follow", [&] {
    return nodes_.back()->ask({"INFO", "replication"}).text.find("master_link_status:up") != std::string::npos;
  });
}

std::string RedisCluster::url() const {
  std::string list;
  for (std::size_t i = 0; i < kPrimaries; ++i) list += (i == 0 ? "" : ",") + nodes_[i]->address();
  return "redis+cluster://" + list;
}

std::string RedisCluster::id_of(std::size_t number) const { return nodes_.at(number)->ask({"CLUSTER", "MYID"}).text; }

}  // namespace kbase::tests
