// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "adapters/redis/reply.hpp"
#include "adapters/redis/script.hpp"
#include "domain/model/day.hpp"

namespace kbase::redis {

/// The script that corrects the count of a day.
class AdjustScript {
 public:
  AdjustScript();

  /// Counts so many more (negative: fewer) in the day that ends then.
  Commands call(Script::Form form, std::string_view key, model::Instant day_end, std::int64_t more) const;

  static bool is_answer(const Reply& reply) { return reply.kind == Reply::Kind::Integer; }

 private:
  Script script_;
};

}  // namespace kbase::redis
