// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "adapters/redis/reply.hpp"
#include "adapters/redis/script.hpp"
#include "domain/model/day.hpp"

namespace kbase::redis {

/// Lua script of RateLimitStore::adjust: corrects the usage of a day.
class AdjustScript {
 public:
  AdjustScript();

  /// Returns the command that adds `more` (negative: subtracts) to the usage of the day that ends at `day_end`.
  Commands call(Script::Form form, std::string_view key, model::Instant day_end, std::int64_t more) const;

  static bool is_answer(const Reply& reply) { return reply.kind == Reply::Kind::Integer; }

 private:
  Script script_;
};

}  // namespace kbase::redis
