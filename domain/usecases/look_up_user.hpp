// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "ports/driven/cache.hpp"
#include "ports/driven/clock.hpp"
#include "ports/driven/code_host.hpp"
#include "ports/driven/look_up_counts.hpp"
#include "ports/driven/rate_limit_store.hpp"
#include "ports/driven/user_writer.hpp"
#include "ports/driving/code_host_users.hpp"

namespace kbase::usecases {

/// Looks up users of the code-hosting service with as few queries as possible. A fresh cached answer is returned as it
/// is. A stale one is revalidated, which costs the service little. If the service is unavailable or its query limit is
/// reached, the stale answer is returned with its age. Starts no threads; the caller decides what runs concurrently.
class LookUpUser final : public ports::CodeHostUsers {
 public:
  struct Options {
    /// Prefix of the cache keys: equal on servers that share the cache and query the same service in the same way,
    /// different otherwise. At most 128 bytes.
    std::string cache_prefix;
    std::chrono::milliseconds fresh_for{std::chrono::minutes(10)};   ///< how long an answer is returned without a query
                                                                     ///< to the service
    std::chrono::milliseconds keep_for{std::chrono::hours(24)};      ///< how long a stale answer can be returned, from
                                                                     ///< the last query that returned or confirmed it
    std::chrono::milliseconds unknown_for{std::chrono::minutes(1)};  ///< TTL of negative cache entries
    std::uint32_t cold_per_minute = 30;         ///< queries to the service for all clients; 0: no limit
    std::uint32_t cold_per_minute_keyless = 3;  ///< for one client without a key; 0: no limit
  };

  /// All must outlive the object.
  struct Parts {
    ports::CodeHost* host;  ///< null: the service is disabled
    ports::Cache* cache;    ///< null: no cache
    /// Limits queries to the service. In-process, as the limits apply to one server.
    ports::RateLimitStore& turns;
    const ports::UserWriters& writers;
    const ports::Clock& clock;
    ports::LookUpCounts* counts = nullptr;  ///< null: outcomes are not counted
  };
  LookUpUser(const Parts& parts, Options options) : parts_(parts), options_(std::move(options)) {}

  std::optional<ports::UserAnswer> kept(std::string_view username) override;
  model::Result<ports::UserAnswer> look_up(ports::Call& call, const ports::ExternalClient& client,
                                           std::string_view username) override;

 private:
  /// A cache entry: a user, or the fact that there is no such user.
  struct Record {
    bool is_user = true;
    model::Instant since;  ///< when the service returned or confirmed it
    std::string validator;
    std::string text;
  };
  enum class Wanted { Fresh, Any };

  static std::string encode(const Record& record);
  static std::optional<Record> decode(std::string_view value);
  std::string key_of(std::string_view username) const { return options_.cache_prefix + std::string(username); }
  bool could_be(std::string_view username) const;
  bool is_fresh(const Record& record) const;
  std::chrono::milliseconds age_of(const Record& record) const;

  std::optional<Record> find(ports::Call& call, std::string_view key, Wanted wanted) const;
  void keep(ports::Call& call, std::string_view key, const Record& record) const;
  ports::UserAnswer aged(Record record) const;
  model::Result<ports::UserAnswer> ask(ports::Call& call, std::string_view username,
                                       const std::optional<Record>& known);
  model::Result<ports::UserAnswer> counted(model::Result<ports::UserAnswer> answer, ports::LookUpEnd end) const;
  model::Status take_turn(ports::Call& call, const ports::ExternalClient& client) const;
  model::Status take_turn(ports::Call& call, const model::ClientId& client_id, std::uint32_t per_minute) const;

  const Parts parts_;
  const Options options_;
};

}  // namespace kbase::usecases
