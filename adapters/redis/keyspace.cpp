// SPDX-License-Identifier: Apache-2.0
#include "adapters/redis/keyspace.hpp"

#include <algorithm>
#include <charconv>
#include <optional>

#include "adapters/redis/location.hpp"
#include "adapters/redis/reply.hpp"
#include "adapters/redis/topology.hpp"
#include "domain/base/result.hpp"

namespace kbase::redis {
namespace {

/// Maximum number of attempts for a command. After that the redirections of the cluster count as a loop.
constexpr int kMaxRounds = 5;

constexpr const char* kProbeTtlMs = "1000";

/// Parses the server named by "MOVED 3999 127.0.0.1:6381" or by an ASK reply. A node that does not know the address of
/// the other leaves the host empty; the host is then that of the replying node.
std::optional<Endpoint> parse_redirection(const Reply& reply, const Endpoint& server) {
  const std::string_view text = reply.text;
  const std::string_view address = text.substr(text.rfind(' ') + 1);
  const std::size_t colon = address.rfind(':');
  if (colon == address.npos) return std::nullopt;
  Endpoint other{std::string(address.substr(0, colon)), 0};
  if (other.host.empty()) other.host = server.host;
  const auto [end, error] = std::from_chars(address.data() + colon + 1, address.data() + address.size(), other.port);
  if (error != std::errc() || end != address.data() + address.size() || other.port == 0) return std::nullopt;
  return other;
}

Result<std::unique_ptr<Topology>> make_topology(const KeyspaceOptions& options, const ports::Clock& clock) {
  const auto location = KBASE_TRY(Location::parse(options.url));
  Access access;
  access.username = location.username.empty() ? options.username : location.username;
  access.password = location.password.empty() ? options.password : location.password;
  access.database = location.database;
  if (location.tls) {
    auto context = KBASE_TRY(TlsContext::make(options.tls));
    access.tls = std::move(context);
  }
  const Client client{access, clock, options.connections};
  switch (location.kind) {
    case Location::Kind::Single: return make_single_server(location.endpoints.front(), client);
    case Location::Kind::Sentinels: {
      const Access sentinels{options.sentinel_username, options.sentinel_password, 0, access.tls};
      return make_sentinels(location.endpoints, location.primary, sentinels, client);
    }
    case Location::Kind::Cluster: return make_cluster(location.endpoints, client);
  }
  return invalid_argument("url", "url: unknown kind of server");
}

}  // namespace

/// Commands for one server, in order.
struct Keyspace::ServerGroup {
  std::shared_ptr<Server> server;
  std::vector<KeyedCommand*> keyed_commands;
  std::optional<Server::PendingReplies> pending;
};

Result<Keyspace> Keyspace::open(const KeyspaceOptions& options, const ports::Clock& clock) {
  auto topology = KBASE_TRY(make_topology(options, clock));
  return Keyspace(std::move(topology), options.prefix);
}

Keyspace::Keyspace(std::unique_ptr<Topology> topology, std::string prefix)
    : topology_(std::move(topology)), prefix_(std::move(prefix)) {}

Status Keyspace::run(std::span<KeyedCommand* const> keyed_commands, const Timeout& timeout) {
  std::vector<KeyedCommand*> open(keyed_commands.begin(), keyed_commands.end());
  for (int round = 0; round < kMaxRounds; ++round) {
    if (open.empty()) return {};
    if (auto exhausted = timeout.exhausted()) return *std::move(exhausted);
    std::vector<KeyedCommand*> retries;
    if (auto sent = send(open, retries, timeout); !sent) return sent;
    open = std::move(retries);
  }
  return Error{ErrorCode::Unavailable,
               "the nodes of the Redis cluster redirect a request in a loop; run CLUSTER NODES on each node",
               "redis cluster: " + open.front()->key + " was redirected too often"};
}

/// Groups the commands by server. On an error (of finding the servers), nothing was sent.
Result<std::vector<Keyspace::ServerGroup>> Keyspace::group_by_server(std::span<KeyedCommand* const> keyed_commands,
                                                                     const Timeout& timeout) {
  std::vector<ServerGroup> groups;
  for (KeyedCommand* const keyed : keyed_commands) {
    if (keyed->server == nullptr) {
      auto server = KBASE_TRY(topology_->find_server(keyed->key, timeout));
      keyed->server = std::move(server);
    }
    auto group = std::find_if(groups.begin(), groups.end(),
                              [&](const ServerGroup& other) { return other.server == keyed->server; });
    if (group == groups.end()) group = groups.insert(group, ServerGroup{keyed->server, {}, {}});
    group->keyed_commands.push_back(keyed);
  }
  return groups;
}

/// Sends each command once. Adds the commands that were certainly not executed to `retries`.
Status Keyspace::send(std::span<KeyedCommand* const> keyed_commands, std::vector<KeyedCommand*>& retries,
                      const Timeout& timeout) {
  auto groups = group_by_server(keyed_commands, timeout);
  if (!groups) return invalidate_topology(groups.error());
  for (ServerGroup& group : *groups) {
    Commands commands;
    for (const KeyedCommand* const keyed : group.keyed_commands) {
      if (keyed->needs_asking) commands.add({"ASKING"});
      commands.add(keyed->command);
    }
    group.pending = group.server->post(std::move(commands));
  }
  Status outcome;
  for (ServerGroup& group : *groups)
    if (auto finished = finish(group, retries, timeout); !finished && outcome) outcome = finished;
  return outcome;
}

Status Keyspace::finish(ServerGroup& group, std::vector<KeyedCommand*>& retries, const Timeout& timeout) {
  auto replies = group.pending->finish(timeout);
  if (!replies) return invalidate_topology(replies.error());
  auto reply = replies->begin();
  for (KeyedCommand* const keyed : group.keyed_commands) {
    if (keyed->needs_asking) ++reply;
    keyed->reply = std::move(*reply++);
    const auto is_done = handle_reply(*keyed, group.server->endpoint());
    if (!is_done) return invalidate_topology(is_done.error());
    if (!*is_done) retries.push_back(keyed);
  }
  return {};
}

/// False: the server did not execute the command and redirected it; `keyed` is updated to the new server.
Result<bool> Keyspace::handle_reply(KeyedCommand& keyed, const Endpoint& server) {
  const Reply& reply = keyed.reply;
  if (!reply.is_error() || reply.is_error("NOSCRIPT")) return true;
  const bool is_moved = reply.is_error("MOVED");
  if (!is_moved && !reply.is_error("ASK")) return translate_error(server, reply);
  const auto other = parse_redirection(reply, server);
  if (!other) return unexpected_reply_error(server, "a command");
  if (is_moved) topology_->invalidate();
  keyed.server = topology_->server_at(*other);
  keyed.needs_asking = !is_moved;
  return false;
}

/// Marks the topology as outdated after any error except Cancelled: the servers may have changed.
Error Keyspace::invalidate_topology(const Error& error) {
  if (error.code != ErrorCode::Cancelled) topology_->invalidate();
  return error;
}

Status Keyspace::health(const Timeout& timeout) {
  if (auto exhausted = timeout.exhausted()) return *std::move(exhausted);
  auto servers = topology_->servers(timeout);
  if (!servers) return invalidate_topology(servers.error());
  // Find a key for each server: one of a few keys belongs to each.
  for (std::size_t i = 0; !servers->empty() && i < kSlots; ++i) {
    const std::string key = prefix_ + "probe:" + std::to_string(i);
    const auto server = topology_->find_server(key, timeout);
    if (!server) return invalidate_topology(server.error());
    if (std::erase(*servers, *server) == 0) continue;
    if (auto written = (*server)->request({"SET", key, "", "PX", kProbeTtlMs}, timeout); !written)
      return invalidate_topology(written.error());
  }
  return {};
}

}  // namespace kbase::redis
