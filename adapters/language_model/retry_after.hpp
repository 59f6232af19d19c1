// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>

#include "domain/model/day.hpp"
#include "ports/driven/http_client.hpp"

namespace kbase::language_model {

/// Returns how long a refused request must wait; 0: the response does not specify it. `retry-after-ms` and
/// `retry-after` (RFC 9110, section 10.2.3: seconds or a date) take precedence. Otherwise the wait is the longer of
/// `x-ratelimit-reset-requests` and `-tokens`, for limits with nothing remaining; these are spans such as "6m0s"
/// (platform.openai.com/docs/guides/rate-limits).
std::chrono::milliseconds retry_after(const ports::HttpHead& head, model::Instant now);

}  // namespace kbase::language_model
