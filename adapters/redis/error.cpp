// SPDX-License-Identifier: Apache-2.0
#include "adapters/redis/error.hpp"

#include <array>

namespace kbase::redis {
namespace {

struct Known {
  std::string_view name;  ///< the first word of the error
  const char* message;
};

/// Errors with a remedy for an operator.
constexpr std::array<Known, 16> kKnown{{
    {"LOADING", "Redis is still loading its data: it answers when it has"},
    {"READONLY", "this Redis is a replica and takes no writes: name the primary, or let sentinels name it"},
    {"OOM", "Redis is full: raise its maxmemory, or let it evict keys with a policy of volatile-ttl"},
    {"CLUSTERDOWN", "the Redis cluster does not serve all of its slots: look at CLUSTER INFO on its nodes"},
    {"MASTERDOWN", "the replica of Redis has lost its primary: look at ROLE on both"},
    {"NOREPLICAS", "Redis has too few replicas to take writes: start them, or lower min-replicas-to-write"},
    {"MISCONF", "Redis takes no writes since it cannot save to its disk: look at its log"},
    {"BUSY", "Redis is busy with a script of somebody else: it answers when that ends, or after SCRIPT KILL"},
    {"NOAUTH", "Redis wants a password: set password, and username where its ACL has users"},
    {"WRONGPASS", "Redis refuses the password: set username and password as its ACL has them"},
    {"NOPERM", "the user of Redis may not do this: give its ACL the commands and keys of the manual's page on Redis"},
    {"DENIED", "Redis is in protected mode and refuses other machines: give it a password or a bind address"},
    {"WRONGTYPE", "another program keeps something of another kind under kbase's keys: set another prefix"},
    {"UNKILLABLE", "Redis is busy with a script of somebody else that has written: its operator has to look at it"},
    {"TRYAGAIN", "the Redis cluster is moving these keys: try again in a moment"},
    {"ERR", "Redis refused a command; its words are in the log"},
}};

std::string name_of_server(const Endpoint& server) {
  return "redis " + server.text() + ": ";
}

}  // namespace

model::Error error_of(const Endpoint& server, const Reply& reply) {
  const char* message = kKnown.back().message;
  for (const Known& known : kKnown)
    if (reply.is_error(known.name)) message = known.message;
  return {model::ErrorCode::Unavailable, message, name_of_server(server) + reply.text, {}, {}};
}

model::Error error_of_greeting(const Endpoint& server, const Reply& reply) {
  Reply named;
  named.kind = Reply::Kind::Error;
  named.text = reply.text.substr(0, reply.text.find(' '));
  model::Error error = error_of(server, named);
  error.detail += " to AUTH, SELECT or ROLE";
  if (named.is_error("ERR"))
    error.message = "Redis refuses the greeting: set username, password and database as it has them";
  return error;
}

model::Error unreachable(const Endpoint& server, std::string_view reason) {
  return {
      model::ErrorCode::Unavailable, "Redis cannot be reached", name_of_server(server) + std::string(reason), {}, {}};
}

model::Error unexpected(const Endpoint& server, std::string_view command) {
  return {model::ErrorCode::BadUpstream,
          "Redis gave an answer that is none: is it a Redis of version 6 or newer?",
          name_of_server(server) + std::string(command) + " was not answered as it should",
          {},
          {}};
}

}  // namespace kbase::redis
