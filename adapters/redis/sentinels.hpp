// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <string>

#include "adapters/redis/renewed.hpp"
#include "adapters/redis/topology.hpp"

namespace kbase::redis {

/// The primary that sentinels name. Each new connection checks its role, because a sentinel's information can be
/// outdated ("Guidelines for Redis clients with support for Redis Sentinel", step 3).
class Sentinels final : public Topology {
 public:
  /// `sentinels`: access to the sentinels. `client`: settings for the primary.
  Sentinels(const std::vector<Endpoint>& endpoints, std::string primary, const Access& sentinels, const Client& client);

  model::Result<std::shared_ptr<Server>> server_of(std::string_view key, const Timeout& timeout) override;
  std::shared_ptr<Server> server_at(const Endpoint& endpoint) override;
  model::Result<Servers> servers(const Timeout& timeout) override;
  void doubt() override { primary_.doubt(); }

 private:
  using Primary = std::shared_ptr<Server>;
  model::Result<Primary> look_up(const Primary& before, const Timeout& timeout);
  model::Result<Endpoint> ask(Server& sentinel, const Timeout& timeout) const;

  const std::string name_;
  const Client client_;
  Servers sentinels_;
  std::atomic<std::size_t> first_{0};  // index of the sentinel queried first; moves on after a failure
  Renewed<Server> primary_;
};

}  // namespace kbase::redis
