// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "adapters/redis/tls.hpp"
#include "adapters/redis/topology.hpp"

namespace kbase::redis {

struct KeyspaceOptions {
  /// As Location has it. User information in it goes before `username` and `password`.
  std::string url = "redis://127.0.0.1:6379";
  std::string username;           ///< of Redis's ACL; empty: the default user
  std::string password;           ///< empty: none is sent
  std::string sentinel_username;  ///< the same at the sentinels, which have users of their own
  std::string sentinel_password;
  TlsFiles tls;  ///< where the URL says TLS
  /// To each server. Threads share them, so a few are enough; a second one is for when the first one's reader is busy.
  std::size_t connections = 2;
  /// What every key begins with, so that several services can share a Redis.
  std::string prefix = "kbase:";
};

/// A command about one key, and what became of it.
struct Errand {
  std::string key;
  Commands command;  ///< one
  Reply reply{};

  std::shared_ptr<Server> server{};  ///< that another one sent it to; null: whoever keeps the key
  bool is_asking = false;            ///< the server does not keep the key yet, and has to be told that this is known
};

/// The keys of one Redis, on whichever server each is kept: one server, the primary that sentinels name, or the nodes
/// of a cluster. Connects when it is first asked. Any thread.
class Keyspace {
 public:
  /// InvalidArgument: an option that cannot be. `clock` outlives the keyspace.
  static model::Result<Keyspace> open(const KeyspaceOptions& options, const ports::Clock& clock);

  const std::string& prefix() const { return prefix_; }

  /// Sends each command to the server of its key, those of one server together, and waits for the replies. A command
  /// is sent a second time only where a server said that another one keeps the key, so that it has done nothing.
  ///
  /// Errors: those of connections, Deadline, Cancelled, after which nobody knows what was done; and those that Redis
  /// answered with, but for NOSCRIPT, which is left as the reply.
  model::Status run(std::span<Errand* const> errands, const Timeout& timeout);

  /// Writes a key that is gone a second later to each server that takes writes: one that is full, a replica or unable
  /// to save is not healthy, though it answers.
  model::Status health(const Timeout& timeout);

 private:
  struct Group;

  Keyspace(std::unique_ptr<Topology> topology, std::string prefix);
  model::Result<std::vector<Group>> grouped(std::span<Errand* const> errands, const Timeout& timeout);
  model::Status send(std::span<Errand* const> errands, std::vector<Errand*>& again, const Timeout& timeout);
  model::Status finish(Group& group, std::vector<Errand*>& again, const Timeout& timeout);
  model::Result<bool> is_answered(Errand& errand, const Endpoint& server);
  model::Error doubted(const model::Error& error);

  std::unique_ptr<Topology> topology_;
  std::string prefix_;
};

}  // namespace kbase::redis
