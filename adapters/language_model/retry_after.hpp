// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>

#include "domain/model/day.hpp"
#include "ports/driven/http_client.hpp"

namespace kbase::language_model {

/// How long a refused request has to wait, 0: the answer does not say. `retry-after-ms` and `retry-after` (RFC 9110,
/// section 10.2.3: seconds or a date) go first; else the longest of `x-ratelimit-reset-requests` and `-tokens`, of
/// which nothing remains: spans such as "6m0s" (platform.openai.com/docs/guides/rate-limits).
std::chrono::milliseconds retry_after(const ports::HttpHead& head, model::Instant now);

}  // namespace kbase::language_model
