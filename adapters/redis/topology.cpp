// SPDX-License-Identifier: Apache-2.0
#include "adapters/redis/topology.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <charconv>
#include <mutex>
#include <optional>
#include <string>

#include "adapters/redis/channel.hpp"
#include "adapters/redis/connection.hpp"
#include "adapters/redis/location.hpp"
#include "domain/base/result.hpp"

namespace kbase::redis {
namespace {

constexpr std::uint16_t kPolynomial = 0x1021;

/// Returns the text between the first { and the next }; the whole key if there is no such text or it is empty.
std::string_view hashed_part(std::string_view key) {
  const std::size_t open = key.find('{');
  if (open == key.npos) return key;
  const std::size_t close = key.find('}', open);
  if (close == key.npos || close == open + 1) return key;
  return key.substr(open + 1, close - open - 1);
}

/// Topology of a single server that has all keys.
class SingleServer final : public Topology {
 public:
  SingleServer(const Endpoint& endpoint, const Client& client)
      : server_(std::make_shared<Server>(endpoint, client, Role::Any)) {}

  Result<std::shared_ptr<Server>> find_server(std::string_view, const Timeout&) override { return server_; }
  std::shared_ptr<Server> server_at(const Endpoint&) override { return server_; }
  Result<Servers> servers(const Timeout&) override { return Servers{server_}; }
  void invalidate() override {}

 private:
  const std::shared_ptr<Server> server_;
};

/// The primary that sentinels name. Each new connection checks its role, because a sentinel's information can be
/// outdated ("Guidelines for Redis clients with support for Redis Sentinel", step 3).
class Sentinels final : public Topology {
 public:
  /// `sentinels`: access to the sentinels. `client`: settings for the primary.
  Sentinels(const std::vector<Endpoint>& endpoints, std::string primary, const Access& sentinels, const Client& client)
      : name_(std::move(primary)), client_(client) {
    for (const Endpoint& endpoint : endpoints)
      sentinels_.push_back(std::make_shared<Server>(endpoint, Client{sentinels, client_.clock, 1}, Role::Any));
  }

  Result<std::shared_ptr<Server>> find_server(std::string_view key, const Timeout& timeout) override;
  std::shared_ptr<Server> server_at(const Endpoint& endpoint) override {
    return std::make_shared<Server>(endpoint, client_, Role::Primary);
  }
  Result<Servers> servers(const Timeout& timeout) override {
    auto primary = KBASE_TRY(find_server({}, timeout));
    return Servers{std::move(primary)};
  }
  void invalidate() override { primary_.invalidate(); }

 private:
  using Primary = std::shared_ptr<Server>;
  Result<Primary> fetch(const Primary& before, const Timeout& timeout) {
    Error last_error;
    for (std::size_t i = 0; i < sentinels_.size(); ++i) {
      if (auto exhausted = timeout.exhausted()) return *std::move(exhausted);
      const auto address = request_primary(*sentinels_[first_ % sentinels_.size()], timeout);
      if (address) return before != nullptr && before->endpoint() == *address ? before : server_at(*address);
      last_error = address.error();
      ++first_;
    }
    return last_error.during("query the sentinels for the primary " + name_);
  }
  Result<Endpoint> request_primary(Server& sentinel, const Timeout& timeout) const {
    const auto reply = KBASE_TRY(sentinel.request({"SENTINEL", "get-master-addr-by-name", name_}, timeout));
    if (reply.kind == Reply::Kind::Nil)
      return Error{ErrorCode::Unavailable,
                   "the Redis sentinels do not know the configured primary; check its name in url",
                   "redis " + sentinel.endpoint().text() + ": it monitors no primary named " + name_};
    Endpoint address;
    if (reply.elements.size() == 2) {
      address.host = reply.elements[0].text;
      const std::string& port = reply.elements[1].text;
      std::from_chars(port.data(), port.data() + port.size(), address.port);
    }
    if (address.host.empty() || address.port == 0) return unexpected_reply_error(sentinel.endpoint(), "SENTINEL");
    return address;
  }

  const std::string name_;
  const Client client_;
  Servers sentinels_;
  std::atomic<std::size_t> first_{0};  // index of the sentinel queried first; moves on after a failure
  Refreshable<Server> primary_;
};

Result<std::shared_ptr<Server>> Sentinels::find_server(std::string_view, const Timeout& timeout) {
  return primary_.get(timeout, [&](const Primary& before) { return fetch(before, timeout); });
}

/// Redis Cluster: each slot of keys has its own primary (see "Redis cluster specification").
class Cluster final : public Topology {
 public:
  /// `endpoints` are the initial nodes, which are queried for the others.
  Cluster(const std::vector<Endpoint>& endpoints, const Client& client) : client_(client) {
    for (const Endpoint& endpoint : endpoints) server_at(endpoint);
  }

  Result<std::shared_ptr<Server>> find_server(std::string_view key, const Timeout& timeout) override {
    const auto found = KBASE_TRY(current_map(timeout));
    const std::uint16_t index = found->server_of_slot[compute_slot(key)];
    if (index != 0) return found->servers[index - 1U];
    invalidate();
    return Error{ErrorCode::Unavailable,
                 "the Redis cluster does not serve all of its slots; run CLUSTER INFO on its nodes",
                 "redis cluster: no node serves slot " + std::to_string(compute_slot(key))};
  }
  std::shared_ptr<Server> server_at(const Endpoint& endpoint) override {
    const std::lock_guard lock(mutex_);
    const auto known =
        std::find_if(nodes_.begin(), nodes_.end(), [&](const auto& node) { return node->endpoint() == endpoint; });
    if (known != nodes_.end()) return *known;
    return nodes_.emplace_back(std::make_shared<Server>(endpoint, client_, Role::Any));
  }
  Result<Servers> servers(const Timeout& timeout) override {
    const auto found = KBASE_TRY(current_map(timeout));
    return found->servers;
  }
  void invalidate() override { map_.invalidate(); }

 private:
  /// Assignment of slots to servers. Immutable.
  struct Map {
    Servers servers;
    std::array<std::uint16_t, kSlots> server_of_slot{};  // 1 is the first server; 0: no server
  };
  using MapPointer = std::shared_ptr<const Map>;

  Result<MapPointer> current_map(const Timeout& timeout) {
    return map_.get(timeout, [&](const MapPointer&) { return fetch(timeout); });
  }
  Result<MapPointer> fetch(const Timeout& timeout) {
    Servers nodes;
    {
      const std::lock_guard lock(mutex_);
      nodes = nodes_;
    }
    Error last_error;
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      if (auto exhausted = timeout.exhausted()) return *std::move(exhausted);
      auto map = request_map(*nodes[first_ % nodes.size()], timeout);
      if (map) return map;
      last_error = map.error();
      ++first_;
    }
    return last_error.during("query the cluster for its slots");
  }
  Result<MapPointer> request_map(Server& node, const Timeout& timeout) {
    const auto reply = KBASE_TRY(node.request({"CLUSTER", "SLOTS"}, timeout));
    const auto map = std::make_shared<Map>();
    for (const Reply& range : reply.elements)
      if (!add_range(*map, range, node.endpoint())) return unexpected_reply_error(node.endpoint(), "CLUSTER SLOTS");
    if (!map->servers.empty()) return MapPointer(map);
    return Error{ErrorCode::Unavailable,
                 "the Redis cluster serves no slot yet; create it with redis-cli --cluster create",
                 "redis " + node.endpoint().text() + ": CLUSTER SLOTS is empty"};
  }
  /// Parses a range of slots: first slot, last slot, then nodes with address and port, the primary before its replicas.
  /// A node that does not know its own address leaves it empty; the address is then that of the queried node.
  bool add_range(Map& map, const Reply& range, const Endpoint& queried_node) {
    if (range.elements.size() < 3 || range.elements[2].elements.size() < 2) return false;
    const std::int64_t first = range.elements[0].integer;
    const std::int64_t last = range.elements[1].integer;
    const std::int64_t port = range.elements[2].elements[1].integer;
    if (first < 0 || last < first || last >= kSlots || port <= 0 || port > 65535) return false;
    const std::string& host = range.elements[2].elements[0].text;
    const auto server = server_at({host.empty() ? queried_node.host : host, static_cast<std::uint16_t>(port)});
    auto position = std::find(map.servers.begin(), map.servers.end(), server);
    if (position == map.servers.end()) position = map.servers.insert(map.servers.end(), server);
    const auto index = static_cast<std::uint16_t>(position - map.servers.begin() + 1);
    std::fill(map.server_of_slot.begin() + first, map.server_of_slot.begin() + last + 1, index);
    return true;
  }

  const Client client_;
  Refreshable<const Map> map_;

  std::mutex mutex_;
  Servers nodes_;                      // all nodes seen so far, so that connections are kept
  std::atomic<std::size_t> first_{0};  // index of the node queried first; moves on after a failure
};

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

std::uint16_t compute_slot(std::string_view key) {
  unsigned crc = 0;
  for (const char byte : hashed_part(key)) {
    crc ^= static_cast<unsigned>(static_cast<unsigned char>(byte)) << 8U;
    for (int bit = 0; bit < 8; ++bit) crc = (crc << 1U) ^ ((crc & 0x8000U) != 0 ? kPolynomial : 0U);
    crc &= 0xFFFFU;
  }
  return static_cast<std::uint16_t>(crc % kSlots);
}

std::unique_ptr<Topology> make_single_server(const Endpoint& endpoint, const Client& client) {
  return std::make_unique<SingleServer>(endpoint, client);
}

std::unique_ptr<Topology> make_sentinels(const std::vector<Endpoint>& endpoints, std::string primary,
                                         const Access& sentinels, const Client& client) {
  return std::make_unique<Sentinels>(endpoints, std::move(primary), sentinels, client);
}

std::unique_ptr<Topology> make_cluster(const std::vector<Endpoint>& endpoints, const Client& client) {
  return std::make_unique<Cluster>(endpoints, client);
}

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
    KBASE_TRY(send(open, retries, timeout));
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
