// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "domain/base/function_ref.hpp"
#include "domain/base/result.hpp"
#include "domain/model/day.hpp"
#include "domain/model/item.hpp"
#include "ports/driven/call.hpp"

namespace kbase::ports {

/// A user's public profile, as an anonymous visitor sees it. Members that the service does not provide are absent.
/// Texts are UTF-8 and valid until the visitor returns.
struct UserProfile {
  std::string_view username;  ///< as spelled by the service, never empty
  std::optional<std::string_view> name;
  std::optional<std::string_view> bio;
  std::optional<std::string_view> company;
  std::optional<std::string_view> location;
  std::optional<std::string_view> website;
  std::optional<std::string_view> avatar_url;
  std::optional<std::string_view> profile_url;
  std::optional<std::uint64_t> followers;
  std::optional<std::uint64_t> following;
  std::optional<std::uint64_t> public_repositories;
  std::optional<model::Instant> created;
};

struct Repository {
  std::string_view name;       ///< never empty
  std::string_view full_name;  ///< includes the owner, never empty
  std::optional<std::string_view> description;
  std::optional<std::string_view> url;
  std::optional<std::string_view> language;
  std::optional<model::TextList> topics;
  std::optional<std::uint64_t> stars;
  std::optional<std::uint64_t> forks;
  std::optional<bool> is_fork;
  std::optional<bool> is_archived;
  std::optional<model::Instant> created;
  std::optional<model::Instant> updated;
};

/// The period of the contributions, at most two years, and the source of the counts.
struct Contributions {
  model::Day first{};
  model::Day last{};        ///< inclusive
  std::string_view source;  ///< never empty
};

/// Receives a user's data in this order: the profile, once; repositories, the most recently updated first;
/// contributions, at most once, then their days; languages. Rows are valid until the visitor returns. No calls follow
/// after Stop.
class UserVisitor {
 public:
  virtual ~UserVisitor() = default;

  virtual Visit profile(const UserProfile& profile) = 0;
  virtual Visit repository(const Repository& repository) = 0;
  virtual Visit contributions(const Contributions& contributions) = 0;
  /// Days ascend within the period. A missing day had no contributions.
  virtual Visit contribution_day(model::Day day, std::uint64_t count) = 0;
  /// Called once for each language. `share` is the fraction of all bytes; the fractions sum to 1.
  virtual Visit language(std::string_view name, double share) = 0;
};

/// Formats the data of one user as the response text for clients. Single-threaded.
class UserWriter : public UserVisitor {
 public:
  /// Returns the whole text. Call it once, after the profile was passed.
  virtual std::string finish() = 0;
};

/// Creates a writer for each user. Any thread.
using UserWriterFactory = std::function<std::unique_ptr<UserWriter>()>;

struct LookUp {
  enum class Outcome {
    Updated,
    Unchanged,  ///< the data for the given validator is still current; the visitor was not called
  };

  Outcome outcome = Outcome::Updated;
  /// Validator of the visited data, to pass to the next look-up of this user. At most 64 KiB of UTF-8. Empty: there is
  /// none.
  std::string validator;
};

/// Client of a code-hosting service, for data about its users. Returns only what an anonymous visitor can see, whatever
/// the configured token may access.
///
/// Thread-safety: any thread, concurrent calls allowed. All calls except is_username may block, so never make them on a
/// reactor thread. Contract suite: plugins/conformance/code_host_suite.
class CodeHost {
 public:
  virtual ~CodeHost() = default;

  /// Whether `username` has the service's format of user names. Never blocks.
  virtual bool is_username(std::string_view username) const noexcept = 0;

  /// `username` must satisfy is_username(). `validator` is the one returned by the last look-up of this user, or empty.
  /// NotFound: no such user. Unavailable: the service cannot be reached, or (with retry_after) its own rate limit is
  /// exhausted. BadUpstream: the service rejected the configured token, failed, or sent an invalid response. Deadline,
  /// Cancelled. After an error the data visited before is invalid.
  virtual Result<LookUp> look_up(Call& call, std::string_view username, std::string_view validator,
                                 UserVisitor& visitor) = 0;

  virtual Status health(Call& call) = 0;
};

}  // namespace kbase::ports
