// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "ports/driven/cache.hpp"
#include "ports/driven/clock.hpp"
#include "ports/driven/code_host.hpp"
#include "ports/driven/rate_limit_store.hpp"
#include "ports/driving/external_services.hpp"

namespace kbase::usecases {

/// Looks up users of the code-hosting service with as few queries as possible. A fresh cached reply is returned as it
/// is. A stale one is revalidated, which costs the service little. If the service is unavailable or its query limit is
/// reached, the stale reply is returned with its age. Starts no threads; the caller decides what runs concurrently.
class LookUpUser final : public ports::CodeHostUsers {
 public:
  struct Options {
    /// Prefix of the cache keys: equal on servers that share the cache and query the same service in the same way,
    /// different otherwise. At most 128 bytes.
    std::string cache_prefix;
    std::chrono::milliseconds fresh_for{std::chrono::minutes(10)};   ///< how long an reply is returned without a query
                                                                     ///< to the service
    std::chrono::milliseconds keep_for{std::chrono::hours(24)};      ///< how long a stale reply can be returned, from
                                                                     ///< the last query that returned or confirmed it
    std::chrono::milliseconds unknown_for{std::chrono::minutes(1)};  ///< TTL of negative cache entries
    std::uint32_t cold_per_minute = 30;         ///< queries to the service for all clients; 0: no limit
    std::uint32_t cold_per_minute_keyless = 3;  ///< for one client without a key; 0: no limit
  };

  /// All must outlive the object.
  struct Dependencies {
    ports::CodeHost* host;  ///< null: the service is disabled
    ports::Cache* cache;    ///< null: no cache
    /// Limits queries to the service. In-process, as the limits apply to one server.
    ports::RateLimitStore& query_limiter;
    ports::UserWriterFactory make_writer;
    const ports::Clock& clock;
    std::function<void(ports::LookUpOutcome)> on_outcome = {};  ///< empty: outcomes are not counted
  };
  LookUpUser(Dependencies deps, Options options) : deps_(std::move(deps)), options_(std::move(options)) {}

  std::optional<ports::UserReply> find_cached(std::string_view username) override;
  Result<ports::UserReply> look_up(ports::Call& call, const ports::ExternalClient& client,
                                   std::string_view username) override;

 private:
  /// A cache entry: a user, or the fact that there is no such user.
  struct Record {
    bool is_user = true;
    model::Instant since;  ///< when the service returned or confirmed it
    std::string validator;
    std::string text;
  };
  enum class Freshness { Fresh, Any };

  static std::string encode(const Record& record);
  static std::optional<Record> decode(std::string_view value);
  std::string key_of(std::string_view username) const { return options_.cache_prefix + std::string(username); }
  bool may_exist(std::string_view username) const;
  bool is_fresh(const Record& record) const;
  std::chrono::milliseconds age_of(const Record& record) const;

  std::optional<Record> find(ports::Call& call, std::string_view key, Freshness freshness) const;
  void store(ports::Call& call, std::string_view key, const Record& record) const;
  ports::UserReply reply_from(Record record) const;
  Result<ports::UserReply> query_service(ports::Call& call, std::string_view username,
                                         const std::optional<Record>& known);
  Result<ports::UserReply> report_outcome(Result<ports::UserReply> reply, ports::LookUpOutcome outcome) const;
  Status acquire_query(ports::Call& call, const ports::ExternalClient& client) const;
  Status acquire_query(ports::Call& call, const model::ClientId& client_id, std::uint32_t per_minute) const;

  const Dependencies deps_;
  const Options options_;
};

}  // namespace kbase::usecases
