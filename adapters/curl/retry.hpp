// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

#include "adapters/curl/head.hpp"
#include "adapters/curl/options.hpp"
#include "domain/model/day.hpp"
#include "ports/driven/random.hpp"

namespace kbase::curl {

/// Decides when the request of one exchange is retried.
class Retry {
 public:
  Retry(const RetryOptions& options, ports::Random& random) : options_(options), random_(random) {}

  /// Returns the wait after a failed connection; nullopt: no retry is left.
  std::optional<milliseconds> after_failure() const;

  /// Returns the wait after this response; nullopt: do not retry. Retries 502, 503 and 504, and 429 only with a
  /// Retry-After field. Respects the Retry-After of 429 and 503 (RFC 9110, section 10.2.3).
  std::optional<milliseconds> after_answer(const Head& head, model::Instant now) const;

  /// Counts a retry.
  void count() { ++retries_; }

 private:
  const RetryOptions& options_;
  ports::Random& random_;
  std::uint32_t retries_ = 0;
};

}  // namespace kbase::curl
