// SPDX-License-Identifier: Apache-2.0
#include "adapters/redis/server.hpp"

#include <algorithm>

#include "adapters/redis/error.hpp"

namespace kbase::redis {

Server::Server(Endpoint endpoint, const Client& client, Role role) : endpoint_(std::move(endpoint)) {
  for (std::size_t i = 0; i < client.connections; ++i)
    connections_.push_back(std::make_unique<Connection>(endpoint_, client.access, role, client.clock));
}

Server::Posted Server::post(Commands commands) {
  const auto by_load = [](const auto& a, const auto& b) { return a->load() < b->load(); };
  Connection& connection = **std::min_element(connections_.begin(), connections_.end(), by_load);
  auto exchange = connection.post(std::move(commands));
  return {shared_from_this(), connection, std::move(exchange)};
}

model::Result<Reply> Server::ask(std::initializer_list<std::string_view> words, const Timeout& timeout) {
  Commands commands;
  commands.add(words);
  auto replies = post(std::move(commands)).finish(timeout);
  if (!replies) return replies.error();
  if (replies->front().is_error()) return error_of(endpoint_, replies->front());
  return std::move(replies->front());
}

}  // namespace kbase::redis
