// SPDX-License-Identifier: Apache-2.0
#include "tests/support/redis_sentinel.hpp"

#include <fstream>
#include <stdexcept>

#include "tests/support/eventually.hpp"

namespace kbase::tests {
namespace {

/// Returns a value of the reply to "SENTINEL MASTER NAME", a flat list of names and values.
std::string fact(const redis::Reply& facts, std::string_view name) {
  for (std::size_t i = 0; i + 1 < facts.elements.size(); i += 2)
    if (facts.elements[i].text == name) return facts.elements[i + 1].text;
  return {};
}

}  // namespace

RedisWithSentinels::RedisWithSentinels(std::size_t replicas, std::size_t sentinels) {
  servers_.push_back(std::make_unique<RedisServer>());
  const std::string port = std::to_string(primary().port());
  for (std::size_t i = 0; i < replicas; ++i)
    servers_.push_back(std::make_unique<RedisServer>(
        RedisServer::Options{{"--replicaof", "127.0.0.1", port, "--repl-diskless-sync-delay", "0"}, {}, 0}));
  for (std::size_t i = 0; i < sentinels; ++i) {
    const std::string file = folder_.path() / ("sentinel-" + std::to_string(i) + ".conf");
    std::ofstream(file) << "sentinel monitor " << kName << " 127.0.0.1 " << port << " 1\n"
                        << "sentinel down-after-milliseconds " << kName << " 500\n"
                        << "sentinel failover-timeout " << kName << " 2000\n";
    sentinels_.push_back(std::make_unique<RedisServer>(RedisServer::Options{{file, "--sentinel"}, {}, 0}));
  }
  const auto knows_all = [&](const auto& sentinel) {
    const redis::Reply facts = sentinel->ask({"SENTINEL", "MASTER", kName});
    return fact(facts, "num-slaves") == std::to_string(replicas) &&
           fact(facts, "num-other-sentinels") == std::to_string(sentinels - 1);
  };
  for (const auto& sentinel : sentinels_)
    if (!eventually(std::chrono::seconds(30), [&] { return knows_all(sentinel); }))
      throw std::runtime_error("the sentinels did not find each other and the replicas");
}

std::string RedisWithSentinels::url() const {
  std::string list;
  for (const auto& sentinel : sentinels_) list += (list.empty() ? "" : ",") + sentinel->address();
  return "redis+sentinel://" + list + "/" + kName;
}

}  // namespace kbase::tests
