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

/// Users of the code host, asked about as seldom as can be: what was told is kept and given again while it is fresh,
/// then asked about with its validator, which costs the service next to nothing. Where the service cannot be asked, or
/// is asked too often, what is kept stands in, with its age. The domain's part of that has no threads: who waits for
/// whom is the affair of whoever stands in front.
class LookUpUser final : public ports::CodeHostUsers {
 public:
  struct Options {
    /// Begins the keys of the cache: the same for servers that share it and ask the same service in the same way, and
    /// for no others. At most 128 bytes.
    std::string cache_prefix;
    std::chrono::milliseconds fresh_for{std::chrono::minutes(10)};   ///< how long an answer is given unasked
    std::chrono::milliseconds keep_for{std::chrono::hours(24)};      ///< how long it can stand in, since it was told
    std::chrono::milliseconds unknown_for{std::chrono::minutes(1)};  ///< how long nobody asks again for nobody
    std::uint32_t cold_per_minute = 30;         ///< times that the service is asked, for everybody; 0: no bound
    std::uint32_t cold_per_minute_keyless = 3;  ///< the same for one subject without a key; 0: no bound
  };

  /// What it is made of outlives it.
  struct Parts {
    ports::CodeHost* host;  ///< null: the service is disabled
    ports::Cache* cache;    ///< null: nothing is kept
    /// Counts how often the service is asked: in this process, for the bounds are those of one server.
    ports::RateLimitStore& turns;
    const ports::UserWriters& writers;
    const ports::Clock& clock;
    ports::LookUpCounts* counts = nullptr;  ///< null: nobody counts
  };
  LookUpUser(const Parts& parts, Options options) : parts_(parts), options_(std::move(options)) {}

  std::optional<ports::UserAnswer> kept(std::string_view username) override;
  model::Result<ports::UserAnswer> look_up(ports::Call& call, const ports::ExternalClient& client,
                                           std::string_view username) override;

 private:
  /// What is kept of a user, or of there being none.
  struct Record {
    bool is_user = true;
    model::Instant since;  ///< when the service said so
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
