// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include "adapters/redis/connection.hpp"

namespace kbase::redis {

/// What every connection to the servers of one Redis has in common.
struct Client {
  Access access;
  const ports::Clock& clock;    ///< outlives them
  std::size_t connections = 1;  ///< to each server
};

/// One server and the connections to it. Any thread.
class Server : public std::enable_shared_from_this<Server> {
 public:
  Server(Endpoint endpoint, const Client& client, Role role);

  /// Commands on their way. Finish each one, once.
  class Posted {
   public:
    Posted(std::shared_ptr<Server> server, Connection& connection, std::shared_ptr<Exchange> exchange)
        : server_(std::move(server)), connection_(&connection), exchange_(std::move(exchange)) {}

    model::Result<std::vector<Reply>> finish(const Timeout& timeout) {
      return connection_->finish(*exchange_, timeout);
    }

   private:
    std::shared_ptr<Server> server_;  // it owns the connection
    Connection* connection_;
    std::shared_ptr<Exchange> exchange_;
  };

  /// Sends them on the connection that has least to do.
  Posted post(Commands commands);

  /// Sends one command and waits for its reply; an error of Redis is one of this call.
  model::Result<Reply> ask(std::initializer_list<std::string_view> words, const Timeout& timeout);

  const Endpoint& endpoint() const { return endpoint_; }

 private:
  const Endpoint endpoint_;
  std::vector<std::unique_ptr<Connection>> connections_;
};

}  // namespace kbase::redis
