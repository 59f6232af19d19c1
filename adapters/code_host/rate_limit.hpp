// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <optional>

#include "adapters/code_host/answer.hpp"
#include "domain/model/day.hpp"

namespace kbase::code_host {

/// Returns how long to send no more requests, from one second to one day; nullopt: the response reports no rate limit.
///
/// A rate limit is status 429 (RFC 6585, section 4), or status 403 with Retry-After, with no requests remaining, or
/// with a rate-limit message in its body. The wait is that of Retry-After, else the time until the limit resets, else
/// one minute, as GitHub's "Rate limits for the REST API" requires. Absolute times are relative to the Date of the
/// response, else to `now`.
std::optional<std::chrono::seconds> asked_to_wait(const Answer& answer, model::Instant now);

/// Returns the wait of the Retry-After field, seconds or a date (RFC 9110, section 10.2.3); nullopt: it has no valid
/// one.
std::optional<std::chrono::seconds> retry_after(const Answer& answer, model::Instant now);

/// Returns the time until the limit resets by the response's rate-limit fields; one minute if they do not show it.
std::chrono::seconds until_reset(const Answer& answer, model::Instant now);

}  // namespace kbase::code_host
