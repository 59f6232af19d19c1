// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <string>
#include <string_view>

#include "adapters/http/reply.hpp"
#include "domain/base/result.hpp"
#include "domain/model/day.hpp"

namespace kbase::http {

/// An error as the client sees it (docs/guide/errors.md).
struct Problem {
  HttpStatus status = HttpStatus::Internal_Server_Error;
  std::string_view code;  ///< `error.code`; static lifetime
  std::string message;
  std::string details;                  ///< members of `error.details` as JSON; empty: no details
  std::chrono::seconds retry_after{0};  ///< 0: no Retry-After
  std::string_view challenge;           ///< value of WWW-Authenticate; static lifetime; empty: none
};

/// Return the problem with the default code of the status. The status must be in the table in problem.cpp.
Problem make_problem(HttpStatus status);
Problem make_problem(HttpStatus status, std::string message);

/// Returns a 503. With `retry_after` 0 (unknown), Retry-After has its default.
Problem make_unavailable(std::string message, std::chrono::milliseconds retry_after);

/// Returns 400 INVALID_BODY.
Problem make_invalid_body(std::string message);

/// Whether the failed call went to an upstream service. A timeout there is a 504, not a sign of overload.
enum class Upstream { No, Yes };

/// Maps an error to the problem that the client sees (docs/architecture/error-model.md). Internal errors reveal no
/// details.
Problem make_problem(const Error& error, Upstream upstream);

Reply make_reply(const Problem& problem, model::Instant now);

}  // namespace kbase::http
