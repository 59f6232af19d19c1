// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

#include "domain/model/day.hpp"
#include "ports/driving/access.hpp"

namespace kbase::http {

/// State of the window shown in X-RateLimit-*: the one with the fewest remaining requests among those with a limit; on
/// a tie the one that resets later. For a denied request this is the window that denied it.
struct RateState {
  std::uint64_t limit = 0;
  std::uint64_t remaining = 0;
  std::int64_t reset = 0;               ///< Unix time in seconds, rounded up
  std::chrono::seconds retry_after{1};  ///< time until `reset`, at least 1 s
};

RateState rate_state(const ports::Admission& admission, model::Instant now);

/// Appends X-RateLimit-* and, if a window has a limit, RateLimit-Policy and RateLimit
/// (draft-ietf-httpapi-ratelimit-headers), as complete field lines.
void write_rate_fields(std::string& fields, const ports::Admission& admission, model::Instant now);

}  // namespace kbase::http
