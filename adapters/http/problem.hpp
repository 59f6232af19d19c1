// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <pistache/http_defs.h>
#include <chrono>
#include <string>
#include <string_view>

#include "adapters/http/static_content.hpp"
#include "domain/base/result.hpp"
#include "domain/model/day.hpp"

namespace kbase::http {

/// Whether the failed call went to an upstream service. A timeout there is a 504, not a sign of overload.
enum class Upstream { No, Yes };

using HttpStatus = Pistache::Http::Code;

/// An error as the client sees it (docs/guide/errors.md).
struct Problem {
  HttpStatus status = HttpStatus::Internal_Server_Error;
  std::string_view code;  ///< `error.code`; static lifetime
  std::string message;
  std::string details;                  ///< members of `error.details` as JSON; empty: no details
  std::chrono::seconds retry_after{0};  ///< 0: no Retry-After
  std::string_view challenge;           ///< value of WWW-Authenticate; static lifetime; empty: none
};

/// Returns the problem with the default code of the status and, if `message` is empty, its default message. The status
/// must be in the table in problem.cpp.
Problem make_problem(HttpStatus status, std::string message = {});

/// Returns a 503. With `retry_after` 0 (unknown), Retry-After has its default.
Problem make_unavailable(std::string message, std::chrono::milliseconds retry_after);

/// Returns 400 INVALID_BODY.
Problem make_invalid_body(std::string message);

/// Maps an error to the problem that the client sees (docs/architecture/error-model.md). Internal errors reveal no
/// details.
Problem make_problem(const Error& error, Upstream upstream);

/// Reply of an endpoint, without the header fields that all responses have.
struct Reply {
  enum class Caching {
    Revalidate,  ///< private cache; the client revalidates each time, or after cache.http_max_age
    Never,
  };

  enum class Format {
    Json,
    EventStream,  ///< sent while it is computed; `body` is empty
    Page,         ///< a page of the site
  };

  HttpStatus status = HttpStatus::Ok;
  std::string body;        ///< JSON; empty: no body
  std::string entity_tag;  ///< value of the ETag field; empty: none
  std::string fields;      ///< additional header fields, as complete lines
  Caching caching = Caching::Never;
  Format format = Format::Json;
  std::string_view content_type = "application/json; charset=utf-8";  ///< of `body`; static lifetime
  const PreparedBody* prepared = nullptr;  ///< used instead of `body`; must outlive the reply
};

Reply make_reply(const Problem& problem, model::Instant now);

/// Returns the heading of a page that says what is wrong.
std::string_view page_title(HttpStatus status);

inline void add_field(std::string& fields, std::string_view name, std::string_view value) {
  fields.append(name).append(": ").append(value).append("\r\n");
}

inline bool is_server_error(HttpStatus status) { return static_cast<int>(status) >= 500; }

}  // namespace kbase::http
