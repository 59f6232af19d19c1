// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

#include "adapters/curl/head.hpp"
#include "adapters/curl/options.hpp"
#include "domain/model/day.hpp"
#include "ports/driven/random.hpp"

namespace kbase::curl {

/// When one exchange's request is sent again.
class Retry {
 public:
  Retry(const RetryOptions& options, ports::Random& random) : options_(options), random_(random) {}

  /// How long to wait after a connection that failed; nullopt: the request was tried often enough.
  std::optional<milliseconds> after_failure() const;

  /// How long to wait after this answer; nullopt: it stands. Repeated are 503 and 429, these after their Retry-After
  /// (RFC 9110, section 10.2.3), 502 and 504. A 429 that does not say when is handed out.
  std::optional<milliseconds> after_answer(const Head& head, model::Instant now) const;

  /// It is sent again.
  void count() { ++retries_; }

 private:
  const RetryOptions& options_;
  ports::Random& random_;
  std::uint32_t retries_ = 0;
};

}  // namespace kbase::curl
