// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string_view>

#include "adapters/redis/reply.hpp"
#include "adapters/redis/script.hpp"
#include "domain/model/day.hpp"
#include "ports/driven/rate_limit_store.hpp"

namespace kbase::redis {

/// Lua script of RateLimitStore::acquire.
class AcquireScript {
 public:
  AcquireScript();

  static std::string_view text();

  /// Returns the command. `now`: time of the caller, used instead of the server's clock.
  Commands call(Script::Form form, std::string_view key, const ports::AcquireRequest& request,
                std::optional<model::Instant> now) const;

  /// Parses the reply. Nullopt: not a reply of this script.
  static std::optional<ports::Decision> taken_of(const Reply& reply);

 private:
  Script script_;
};

}  // namespace kbase::redis
