// SPDX-License-Identifier: Apache-2.0
#include "adapters/redis/keyspace.hpp"

#include <algorithm>
#include <charconv>
#include <optional>

#include "adapters/redis/cluster.hpp"
#include "adapters/redis/error.hpp"
#include "adapters/redis/location.hpp"
#include "adapters/redis/sentinels.hpp"
#include "adapters/redis/single_server.hpp"
#include "adapters/redis/slot.hpp"

namespace kbase::redis {
namespace {

/// Maximum number of attempts for a command. After that the redirections of the cluster count as a loop.
constexpr int kMostRounds = 5;

constexpr const char* kProbeLifeMs = "1000";

/// Parses the server named by "MOVED 3999 127.0.0.1:6381" or by an ASK reply. A node that does not know the address of
/// the other leaves the host empty; the host is then that of the replying node.
std::optional<Endpoint> other_server(const Reply& reply, const Endpoint& server) {
  const std::string_view text = reply.text;
  const std::string_view place = text.substr(text.rfind(' ') + 1);
  const std::size_t colon = place.rfind(':');
  if (colon == place.npos) return std::nullopt;
  Endpoint other{std::string(place.substr(0, colon)), 0};
  if (other.host.empty()) other.host = server.host;
  const auto [end, error] = std::from_chars(place.data() + colon + 1, place.data() + place.size(), other.port);
  if (error != std::errc() || end != place.data() + place.size() || other.port == 0) return std::nullopt;
  return other;
}

model::Result<std::unique_ptr<Topology>> topology_of(const KeyspaceOptions& options, const ports::Clock& clock) {
  const auto location = Location::parse(options.url);
  if (!location) return location.error();
  Access access;
  access.username = location->username.empty() ? options.username : location->username;
  access.password = location->password.empty() ? options.password : location->password;
  access.database = location->database;
  if (location->tls) {
    auto context = TlsContext::make(options.tls);
    if (!context) return context.error();
    access.tls = *std::move(context);
  }
  const Client client{access, clock, options.connections};
  switch (location->kind) {
    case Location::Kind::Single:
      return std::unique_ptr<Topology>(std::make_unique<SingleServer>(location->endpoints.front(), client));
    case Location::Kind::Sentinels: {
      const Access sentinels{options.sentinel_username, options.sentinel_password, 0, access.tls};
      return std::unique_ptr<Topology>(
          std::make_unique<Sentinels>(location->endpoints, location->primary, sentinels, client));
    }
    case Location::Kind::Cluster:
      return std::unique_ptr<Topology>(std::make_unique<Cluster>(location->endpoints, client));
  }
  return model::invalid_argument("url", "url: it is of no kind");
}

}  // namespace

/// Commands for one server, in order.
struct Keyspace::Group {
  std::shared_ptr<Server> server;
  std::vector<Errand*> errands;
  std::optional<Server::Posted> posted;
};

model::Result<Keyspace> Keyspace::open(const KeyspaceOptions& options, const ports::Clock& clock) {
  auto topology = topology_of(options, clock);
  if (!topology) return topology.error();
  return Keyspace(*std::move(topology), options.prefix);
}

Keyspace::Keyspace(std::unique_ptr<Topology> topology, std::string prefix)
    : topology_(std::move(topology)), prefix_(std::move(prefix)) {}

model::Status Keyspace::run(std::span<Errand* const> errands, const Timeout& timeout) {
  std::vector<Errand*> open(errands.begin(), errands.end());
  for (int round = 0; round < kMostRounds; ++round) {
    if (open.empty()) return {};
    if (auto exhausted = timeout.exhausted()) return *std::move(exhausted);
    std::vector<Errand*> again;
    if (auto sent = send(open, again, timeout); !sent) return sent;
    open = std::move(again);
  }
  return model::Error{model::ErrorCode::Unavailable,
                      "the Redis cluster sends requests from node to node: look at CLUSTER NODES on each",
                      "redis cluster: " + open.front()->key + " was nowhere",
                      {},
                      {}};
}

/// Groups the commands by server. On an error (of finding the servers), nothing was sent.
model::Result<std::vector<Keyspace::Group>> Keyspace::grouped(std::span<Errand* const> errands,
                                                              const Timeout& timeout) {
  std::vector<Group> groups;
  for (Errand* const errand : errands) {
    if (errand->server == nullptr) {
      auto server = topology_->server_of(errand->key, timeout);
      if (!server) return server.error();
      errand->server = *std::move(server);
    }
    auto group =
        std::find_if(groups.begin(), groups.end(), [&](const Group& other) { return other.server == errand->server; });
    if (group == groups.end()) group = groups.insert(group, Group{errand->server, {}, {}});
    group->errands.push_back(errand);
  }
  return groups;
}

/// Sends each command once. Adds the commands that were certainly not executed to `again`.
model::Status Keyspace::send(std::span<Errand* const> errands, std::vector<Errand*>& again, const Timeout& timeout) {
  auto groups = grouped(errands, timeout);
  if (!groups) return doubted(groups.error());
  for (Group& group : *groups) {
    Commands commands;
    for (const Errand* const errand : group.errands) {
      if (errand->is_asking) commands.add({"ASKING"});
      commands.add(errand->command);
    }
    group.posted = group.server->post(std::move(commands));
  }
  model::Status outcome;
  for (Group& group : *groups)
    if (auto finished = finish(group, again, timeout); !finished && outcome) outcome = finished;
  return outcome;
}

model::Status Keyspace::finish(Group& group, std::vector<Errand*>& again, const Timeout& timeout) {
  auto replies = group.posted->finish(timeout);
  if (!replies) return doubted(replies.error());
  auto reply = replies->begin();
  for (Errand* const errand : group.errands) {
    if (errand->is_asking) ++reply;
    errand->reply = std::move(*reply++);
    const auto answered = is_answered(*errand, group.server->endpoint());
    if (!answered) return doubted(answered.error());
    if (!*answered) again.push_back(errand);
  }
  return {};
}

/// False: the server did not execute the command and redirected it; `errand` is updated to the new server.
model::Result<bool> Keyspace::is_answered(Errand& errand, const Endpoint& server) {
  const Reply& reply = errand.reply;
  if (!reply.is_error() || reply.is_error("NOSCRIPT")) return true;
  const bool is_moved = reply.is_error("MOVED");
  if (!is_moved && !reply.is_error("ASK")) return error_of(server, reply);
  const auto other = other_server(reply, server);
  if (!other) return unexpected(server, "a command");
  if (is_moved) topology_->doubt();
  errand.server = topology_->server_at(*other);
  errand.is_asking = !is_moved;
  return false;
}

/// Marks the topology as outdated after any error except Cancelled: the servers may have changed.
model::Error Keyspace::doubted(const model::Error& error) {
  if (error.code != model::ErrorCode::Cancelled) topology_->doubt();
  return error;
}

model::Status Keyspace::health(const Timeout& timeout) {
  if (auto exhausted = timeout.exhausted()) return *std::move(exhausted);
  auto servers = topology_->servers(timeout);
  if (!servers) return doubted(servers.error());
  // Find a key for each server: one of a few keys belongs to each.
  for (std::size_t i = 0; !servers->empty() && i < kSlots; ++i) {
    const std::string key = prefix_ + "probe:" + std::to_string(i);
    const auto server = topology_->server_of(key, timeout);
    if (!server) return doubted(server.error());
    if (std::erase(*servers, *server) == 0) continue;
    if (auto written = (*server)->ask({"SET", key, "", "PX", kProbeLifeMs}, timeout); !written)
      return doubted(written.error());
  }
  return {};
}

}  // namespace kbase::redis
