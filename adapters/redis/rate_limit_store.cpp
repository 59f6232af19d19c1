// SPDX-License-Identifier: Apache-2.0
#include "adapters/redis/rate_limit_store.hpp"

#include <algorithm>
#include <cassert>
#include <charconv>

#include "adapters/redis/cluster.hpp"
#include "adapters/redis/error.hpp"
#include "adapters/redis/location.hpp"
#include "adapters/redis/sentinels.hpp"
#include "adapters/redis/single_server.hpp"
#include "adapters/redis/slot.hpp"

namespace kbase::redis {
namespace {

using ports::Call;
using ports::Take;
using ports::Taken;

/// How often a take is sent before a cluster counts as one that does not know where its keys are.
constexpr int kMostRounds = 5;

constexpr const char* kProbeLifeMs = "1000";

std::string key_of(const std::string& prefix, const model::Subject& subject) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string key = prefix + "rl:";
  for (const std::uint8_t byte : subject) {
    key += kDigits[byte / 16];
    key += kDigits[byte % 16];
  }
  return key;
}

/// "MOVED 3999 127.0.0.1:6381", and the same of ASK. A node that does not know the other's address leaves the host
/// out: it is the node's own.
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

model::Result<std::unique_ptr<Topology>> topology_of(const Options& options) {
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
  const Client client{access, options.connections};
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

/// A take on its way to an answer.
struct RedisRateLimitStore::Question {
  const Take* take;
  Taken* taken;
  std::string key;
  TakeScript::Form form = TakeScript::Form::ByDigest;
  std::shared_ptr<Server> server;  ///< that another one sent it to; null: whoever keeps the key
  bool is_asking = false;          ///< the server does not keep the key yet, and has to be told that this is known
};

/// The questions that go to one server, in their order.
struct RedisRateLimitStore::Group {
  std::shared_ptr<Server> server;
  std::vector<Question*> questions;
  std::optional<Server::Posted> posted;
};

model::Result<std::unique_ptr<RedisRateLimitStore>> RedisRateLimitStore::open(const Options& options,
                                                                              const ports::Clock& clock) {
  auto topology = topology_of(options);
  if (!topology) return topology.error();
  return std::unique_ptr<RedisRateLimitStore>(new RedisRateLimitStore(*std::move(topology), options, clock));
}

RedisRateLimitStore::RedisRateLimitStore(std::unique_ptr<Topology> topology, const Options& options,
                                         const ports::Clock& clock)
    : topology_(std::move(topology)), prefix_(options.prefix), time_(options.time), clock_(clock) {}

model::Status RedisRateLimitStore::take(Call& call, std::span<const Take* const> takes, std::span<Taken* const> taken) {
  assert(takes.size() == taken.size());
  const Patience patience(call, clock_);
  std::vector<Question> questions;
  std::vector<Question*> open;
  questions.reserve(takes.size());
  for (std::size_t i = 0; i < takes.size(); ++i)
    open.push_back(
        &questions.emplace_back(Question{takes[i], taken[i], key_of(prefix_, takes[i]->subject), {}, {}, {}}));
  for (int round = 0; round < kMostRounds; ++round) {
    if (open.empty()) return {};
    if (auto exhausted = patience.exhausted()) return *std::move(exhausted);
    std::vector<Question*> again;
    if (auto asked = ask(open, again, patience); !asked) return asked;
    open = std::move(again);
  }
  return model::Error{model::ErrorCode::Unavailable,
                      "the Redis cluster sends requests from node to node: look at CLUSTER NODES on each",
                      "redis cluster: " + open.front()->key + " was nowhere",
                      {},
                      {}};
}

/// Errors are those of looking servers up: nothing was sent.
model::Result<std::vector<RedisRateLimitStore::Group>> RedisRateLimitStore::grouped(std::span<Question*> open,
                                                                                    const Patience& patience) {
  std::vector<Group> groups;
  for (Question* const question : open) {
    if (question->server == nullptr) {
      auto server = topology_->server_of(question->key, patience);
      if (!server) return server.error();
      question->server = *std::move(server);
    }
    auto group = std::find_if(groups.begin(), groups.end(),
                              [&](const Group& other) { return other.server == question->server; });
    if (group == groups.end()) group = groups.insert(group, Group{question->server, {}, {}});
    group->questions.push_back(question);
  }
  return groups;
}

/// Sends each of `open` once. What the servers have certainly not charged goes to `again`.
model::Status RedisRateLimitStore::ask(std::span<Question*> open, std::vector<Question*>& again,
                                       const Patience& patience) {
  auto groups = grouped(open, patience);
  if (!groups) return doubted(groups.error());
  for (Group& group : *groups) {
    Commands commands;
    for (const Question* const question : group.questions) {
      std::optional<model::Instant> now;
      if (time_ == Options::TimeOf::Caller) now = clock_.now();
      if (question->is_asking) commands.add({"ASKING"});
      script_.add_to(commands, question->form, question->key, *question->take, now);
    }
    group.posted = group.server->post(std::move(commands));
  }
  model::Status outcome;
  for (Group& group : *groups)
    if (auto finished = finish(group, again, patience); !finished && outcome) outcome = finished;
  return outcome;
}

model::Status RedisRateLimitStore::finish(Group& group, std::vector<Question*>& again, const Patience& patience) {
  const auto replies = group.posted->finish(patience);
  if (!replies) return doubted(replies.error());
  auto reply = replies->begin();
  for (Question* const question : group.questions) {
    if (question->is_asking) ++reply;
    const auto answered = judge(*question, *reply++, group.server->endpoint());
    if (!answered) return doubted(answered.error());
    if (!*answered) again.push_back(question);
  }
  return {};
}

/// False: the server has charged nothing, and the question says how to ask it better.
model::Result<bool> RedisRateLimitStore::judge(Question& question, const Reply& reply, const Endpoint& server) {
  if (const auto taken = TakeScript::taken_of(reply)) {
    *question.taken = *taken;
    return true;
  }
  if (!reply.is_error()) return unexpected(server, "the script of a take");
  if (reply.is_error("NOSCRIPT")) {
    question.form = TakeScript::Form::Whole;
    return false;
  }
  const bool is_moved = reply.is_error("MOVED");
  if (!is_moved && !reply.is_error("ASK")) return error_of(server, reply);
  const auto other = other_server(reply, server);
  if (!other) return unexpected(server, "the script of a take");
  if (is_moved) topology_->doubt();
  question.server = topology_->server_at(*other);
  question.is_asking = !is_moved;
  return false;
}

/// Whatever went wrong, the servers may no longer be what they were.
model::Error RedisRateLimitStore::doubted(const model::Error& error) {
  if (error.code != model::ErrorCode::Cancelled) topology_->doubt();
  return error;
}

model::Status RedisRateLimitStore::health(Call& call) {
  const Patience patience(call, clock_);
  if (auto exhausted = patience.exhausted()) return *std::move(exhausted);
  auto servers = topology_->servers(patience);
  if (!servers) return doubted(servers.error());
  // Each server is given a key that it keeps; there is one among a few for each.
  for (std::size_t i = 0; !servers->empty() && i < kSlots; ++i) {
    const std::string key = prefix_ + "probe:" + std::to_string(i);
    const auto server = topology_->server_of(key, patience);
    if (!server) return doubted(server.error());
    if (std::erase(*servers, *server) == 0) continue;
    if (auto written = (*server)->ask({"SET", key, "", "PX", kProbeLifeMs}, patience); !written)
      return doubted(written.error());
  }
  return {};
}

}  // namespace kbase::redis
