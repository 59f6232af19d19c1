// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "adapters/redis/topology.hpp"

namespace kbase::redis {

/// Topology of a single server that has all keys.
class SingleServer final : public Topology {
 public:
  SingleServer(const Endpoint& endpoint, const Client& client)
      : server_(std::make_shared<Server>(endpoint, client, Role::Any)) {}

  model::Result<std::shared_ptr<Server>> server_of(std::string_view, const Timeout&) override { return server_; }
  std::shared_ptr<Server> server_at(const Endpoint&) override { return server_; }
  model::Result<Servers> servers(const Timeout&) override { return Servers{server_}; }
  void doubt() override {}

 private:
  const std::shared_ptr<Server> server_;
};

}  // namespace kbase::redis
