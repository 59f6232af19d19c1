// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "tests/e2e/client.hpp"

namespace kbase::tests {

/// Expects what every response has: a JSON content type, rate-limit fields, a request id, a date, CORS and security
/// fields.
void expect_common_fields(const Response& response);

/// Expects the common fields of an event stream, whose content type is not JSON.
void expect_stream_fields(const Response& response);

/// Expects a 200 with a body {"success":true,"data":...}, and with `pagination` if `with_pagination`. Returns the
/// body, or an empty envelope if the body is not one, so that the test can continue.
nlohmann::json expect_envelope(const Response& response, bool with_pagination = false);

/// Returns the `data` of such a body.
nlohmann::json expect_data(const Response& response);

/// Expects an error body of docs/guide/errors.md. `parameter` is the wrong parameter or member, if any.
void expect_error(const Response& response, long status, const std::string& code, const std::string& parameter = {});

inline void expect_bad_parameter(const Response& response, const std::string& parameter) {
  expect_error(response, 400, "INVALID_PARAMETER", parameter);
}

/// Expects the members of an item summary (docs/guide/categories.md), each with its type.
void expect_summary(const nlohmann::json& summary);

/// Whether `text` is a UTC time of the form YYYY-MM-DDTHH:MM:SSZ.
bool is_timestamp(const std::string& text);

/// Returns the number of Unicode code points of `text`; -1 if it is not valid UTF-8.
long code_points(const std::string& text);

/// Returns the UTC date `days` days from today as "YYYY-MM-DD".
std::string day_from_today(int days);

}  // namespace kbase::tests
