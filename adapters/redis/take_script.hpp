// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "adapters/redis/reply.hpp"
#include "domain/model/day.hpp"
#include "ports/driven/rate_limit_store.hpp"

namespace kbase::redis {

/// The Lua script that is a take: the whole of it happens in the server, between two commands of others.
class TakeScript {
 public:
  TakeScript();

  static std::string_view text();

  enum class Form {
    ByDigest,  ///< NOSCRIPT, with nothing charged, where the server does not know it
    Whole,     ///< sends the text, which the server then knows
  };

  /// `now`: the caller's clock in place of the server's.
  Commands call(Form form, std::string_view key, const ports::Take& take, std::optional<model::Instant> now) const;

  /// Nullopt: this is no reply of the script.
  static std::optional<ports::Taken> taken_of(const Reply& reply);

 private:
  std::string digest_;  // SHA-1 in hexadecimal digits, the script's name for EVALSHA
};

}  // namespace kbase::redis
