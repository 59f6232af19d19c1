// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ports/driven/api_key_store.hpp"
#include "ports/driven/clock.hpp"
#include "ports/driven/crypto.hpp"
#include "ports/driven/rate_limit_store.hpp"
#include "ports/driven/server_state.hpp"
#include "ports/driving/access.hpp"

namespace kbase::usecases {

/// Admits requests: looks up the key, then charges the key's id, or the client's address without a valid key
/// (docs/guide/rate-limits.md and api-keys.md). Without a key, the origin of a web page may select a plan. A request
/// with an invalid key gets the public plan: an origin is easy to forge, and must not make guessing keys cheaper.
class AdmitRequest final : public ports::Access {
 public:
  /// All must outlive the object.
  struct Dependencies {
    ports::ApiKeyStore& keys;
    ports::RateLimitStore& rate_limiter;
    const ports::PlanRegistry& plans;
    const ports::Digest& digest;
    const ports::Clock& clock;
  };
  explicit AdmitRequest(const Dependencies& deps) : deps_(deps) {}

  ports::Admission admit(ports::Call& call, const ports::Client& client, ports::AcquireRequest::Mode mode) override;
  ports::Admission admission_without_charge(const ports::Client& client) const override;
  bool is_inline(std::optional<std::string_view> credential) const override;

 private:
  enum class KeyVerdict { None, Valid, Invalid, Unchecked };

  ports::Admission keyless_admission(const ports::Client& client) const;
  KeyVerdict identify(ports::Call& call, const ports::Client& client, ports::Admission& admission) const;
  model::Plan find_plan(std::string_view name) const;

  Dependencies deps_;
};

}  // namespace kbase::usecases
