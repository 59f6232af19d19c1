// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <optional>

#include "adapters/code_host/answer.hpp"
#include "domain/model/day.hpp"

namespace kbase::code_host {

/// How long the service wants to be left alone, one second to a day; nullopt: the answer speaks of no rate limit.
///
/// 429 does (RFC 6585, section 4), and so does a 403 with Retry-After, with nothing remaining, or that says so in words
/// alone. Waited is by Retry-After, else until the limit's reset, else a minute, as GitHub's "Rate limits for the REST
/// API" has it. Times of day are taken against the answer's own Date, else against `now`.
std::optional<std::chrono::seconds> asked_to_wait(const Answer& answer, model::Instant now);

/// The wait that a Retry-After field asks for, be it seconds or a date (RFC 9110, section 10.2.3).
std::optional<std::chrono::seconds> retry_after(const Answer& answer, model::Instant now);

/// The wait of a limit of which nothing else is known than its fields.
std::chrono::seconds until_reset(const Answer& answer, model::Instant now);

}  // namespace kbase::code_host
