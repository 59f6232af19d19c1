// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

#include "domain/model/day.hpp"
#include "ports/driving/access.hpp"

namespace kbase::http {

/// The figures of the window that X-RateLimit-* describe: of those with a limit the one with fewest remaining, at a tie
/// the one that resets later. Of a denied request that is the window that denied it.
struct RateState {
  std::uint64_t limit = 0;
  std::uint64_t remaining = 0;
  std::int64_t reset = 0;               ///< Unix time in seconds, rounded up
  std::chrono::seconds retry_after{1};  ///< until `reset`, at least 1
};

RateState rate_state(const ports::Admission& admission, model::Instant now);

/// Appends X-RateLimit-* and, where a window has a limit, RateLimit-Policy and RateLimit
/// (draft-ietf-httpapi-ratelimit-headers) as whole field lines.
void write_rate_fields(std::string& fields, const ports::Admission& admission, model::Instant now);

}  // namespace kbase::http
