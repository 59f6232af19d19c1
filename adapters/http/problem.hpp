// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <string>
#include <string_view>

#include "adapters/http/answer.hpp"
#include "domain/model/day.hpp"
#include "domain/model/error.hpp"

namespace kbase::http {

/// An error as its client sees it (docs/guide/errors.md).
struct Problem {
  Status status = Status::Internal_Server_Error;
  std::string_view code;  ///< `error.code`, a literal
  std::string message;
  std::string details;                  ///< the members of `error.details` as JSON; empty: no details
  std::chrono::seconds retry_after{0};  ///< 0: no Retry-After
  std::string_view challenge;           ///< WWW-Authenticate, a literal; empty: none
};

/// The problem with the usual code and message of its status, which must be one of the table in problem.cpp.
Problem problem(Status status);
Problem problem(Status status, std::string message);

/// 503. `retry_after` 0: nobody knows when to come back.
Problem unavailable(std::string message, std::chrono::milliseconds retry_after);

/// 400 INVALID_BODY.
Problem invalid_body(std::string message);

/// Whether a call was made to a service behind ours: its lateness is not our overload.
enum class Upstream { No, Yes };

/// How a model::Error looks from outside (architecture "Errors"). Errors of the inside say nothing about it.
Problem problem_of(const model::Error& error, Upstream upstream);

Answer answer_of(const Problem& problem, model::Instant now);

}  // namespace kbase::http
