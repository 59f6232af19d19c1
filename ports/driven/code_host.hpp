// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "domain/model/day.hpp"
#include "domain/model/function_ref.hpp"
#include "domain/model/item.hpp"
#include "domain/model/result.hpp"
#include "ports/driven/call.hpp"

namespace kbase::ports {

/// A user as the service shows them to an anonymous visitor. What is absent is what the service does not give. Texts
/// are UTF-8 and loans.
struct UserProfile {
  std::string_view username;  ///< as the service writes it, never empty
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
  std::string_view full_name;  ///< with its owner, never empty
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

/// The period that contributions were counted in, at most two years, and where the figures come from.
struct Contributions {
  model::Day first{};
  model::Day last{};        ///< included
  std::string_view source;  ///< never empty
};

/// Is told about a user in this order: the profile, once; repositories, the most recently updated first; contributions,
/// at most once, then their days; languages. Rows are loans until the visitor returns; after Stop no more follow.
class UserVisitor {
 public:
  virtual ~UserVisitor() = default;

  virtual model::Visit profile(const UserProfile& profile) = 0;
  virtual model::Visit repository(const Repository& repository) = 0;
  virtual model::Visit contributions(const Contributions& contributions) = 0;
  /// Days ascend within the period; one that is not told had none.
  virtual model::Visit contribution_day(model::Day day, std::uint64_t count) = 0;
  /// Each language once; `share` is the fraction of all bytes, and the fractions sum to 1.
  virtual model::Visit language(std::string_view name, double share) = 0;
};

struct LookUp {
  enum class Outcome {
    Told,
    Unchanged,  ///< what was told when the validator was given still holds; the visitor was not called
  };

  Outcome outcome = Outcome::Told;
  /// Of what was told: for the next look-up of this user, at most 64 KiB of UTF-8. Empty: there is none.
  std::string validator;
};

/// A service where people keep source code, asked about its users. Answers hold only what an anonymous visitor could
/// see, whatever a token sees.
///
/// Thread-safety: any thread, any number at a time; nothing here is for a thread that answers requests, except
/// is_username. Contract suite: plugins/conformance/code_host_suite.
class CodeHost {
 public:
  virtual ~CodeHost() = default;

  /// Whether the service could have a user of this name. Never waits.
  virtual bool is_username(std::string_view username) const noexcept = 0;

  /// `username` is one that is_username() takes; `validator` is what the last look-up of this user gave, or empty.
  /// NotFound: no such user. Unavailable: it can't be reached, or (with retry_after) its own rate limit is used up.
  /// BadUpstream: it refused our token, failed, or answered nonsense. Deadline, Cancelled. After an error what was told
  /// before it means nothing.
  virtual model::Result<LookUp> look_up(Call& call, std::string_view username, std::string_view validator,
                                        UserVisitor& visitor) = 0;

  virtual model::Status health(Call& call) = 0;
};

}  // namespace kbase::ports
