// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>

#include "adapters/redis/reply.hpp"
#include "domain/model/day.hpp"
#include "ports/driven/rate_limit_store.hpp"

namespace kbase::redis {

/// A Lua script on one key. The server runs it atomically.
class Script {
 public:
  /// `text` must outlive the script.
  explicit Script(std::string_view text);

  std::string_view text() const { return text_; }

  enum class Form {
    ByDigest,  ///< EVALSHA; a server that does not know the script replies NOSCRIPT and does nothing
    FullText,  ///< EVAL with the text, which the server then caches
  };
  Commands build_command(Form form, std::string_view key, std::initializer_list<std::string_view> arguments) const;

 private:
  const std::string_view text_;
  const std::string digest_;  // hexadecimal SHA-1, the name of the script for EVALSHA
};

/// Lua script of RateLimitStore::acquire.
class AcquireScript {
 public:
  AcquireScript();

  static std::string_view text();

  /// Returns the command. `now`: time of the caller, used instead of the server's clock.
  Commands build_command(Script::Form form, std::string_view key, const ports::AcquireRequest& request,
                         std::optional<model::Instant> now) const;

  /// Parses the reply. Nullopt: not a reply of this script.
  static std::optional<ports::Decision> parse_decision(const Reply& reply);

 private:
  Script script_;
};

/// Lua script of RateLimitStore::adjust: corrects the usage of a day.
class AdjustScript {
 public:
  AdjustScript();

  /// Returns the command that adds `difference` (negative: subtracts) to the usage of the day that ends at `day_end`.
  Commands build_command(Script::Form form, std::string_view key, model::Instant day_end,
                         std::int64_t difference) const;

  static bool is_valid_reply(const Reply& reply) { return reply.kind == Reply::Kind::Integer; }

 private:
  Script script_;
};

}  // namespace kbase::redis
