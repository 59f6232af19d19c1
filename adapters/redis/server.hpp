// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include "adapters/redis/connection.hpp"

namespace kbase::redis {

/// Settings shared by all connections to the servers of one Redis.
struct Client {
  Access access;
  const ports::Clock& clock;    ///< must outlive them
  std::size_t connections = 1;  ///< per server
};

/// One server and the connections to it. Thread-safe.
class Server : public std::enable_shared_from_this<Server> {
 public:
  Server(Endpoint endpoint, const Client& client, Role role);

  /// Commands that were sent. Call finish() exactly once.
  class Posted {
   public:
    Posted(std::shared_ptr<Server> server, Connection& connection, std::shared_ptr<Exchange> exchange)
        : server_(std::move(server)), connection_(&connection), exchange_(std::move(exchange)) {}

    model::Result<std::vector<Reply>> finish(const Timeout& timeout) {
      return connection_->finish(*exchange_, timeout);
    }

   private:
    std::shared_ptr<Server> server_;  // owns the connection
    Connection* connection_;
    std::shared_ptr<Exchange> exchange_;
  };

  /// Sends the commands on the connection with the fewest exchanges in progress.
  Posted post(Commands commands);

  /// Sends one command and waits for its reply. An error reply fails the call.
  model::Result<Reply> ask(std::initializer_list<std::string_view> words, const Timeout& timeout);

  const Endpoint& endpoint() const { return endpoint_; }

 private:
  const Endpoint endpoint_;
  std::vector<std::unique_ptr<Connection>> connections_;
};

}  // namespace kbase::redis
