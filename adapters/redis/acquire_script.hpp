// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string_view>

#include "adapters/redis/reply.hpp"
#include "adapters/redis/script.hpp"
#include "domain/model/day.hpp"
#include "ports/driven/rate_limit_store.hpp"

namespace kbase::redis {

/// The script that is a take.
class AcquireScript {
 public:
  AcquireScript();

  static std::string_view text();

  /// `now`: the caller's clock in place of the server's.
  Commands call(Script::Form form, std::string_view key, const ports::AcquireRequest& request,
                std::optional<model::Instant> now) const;

  /// Nullopt: this is no reply of the script.
  static std::optional<ports::Decision> taken_of(const Reply& reply);

 private:
  Script script_;
};

}  // namespace kbase::redis
