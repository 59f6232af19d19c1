// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "tests/e2e/client.hpp"

namespace kbase::tests {

/// What every response must carry: JSON, rate-limit figures, a request id, a date, CORS and security fields.
void expect_common_fields(const Response& response);

/// The same of a stream of events, which are not JSON as a whole.
void expect_stream_fields(const Response& response);

/// A 200 whose body is {"success":true,"data":...}, `pagination` beside it where wanted. Gives the body; an empty
/// envelope where it is none, so that a test goes on.
nlohmann::json expect_envelope(const Response& response, bool with_pagination = false);

/// The `data` of such a body.
nlohmann::json expect_data(const Response& response);

/// An error body of docs/guide/errors.md; `parameter` where a parameter or member is wrong.
void expect_error(const Response& response, long status, const std::string& code, const std::string& parameter = {});

inline void expect_bad_parameter(const Response& response, const std::string& parameter) {
  expect_error(response, 400, "INVALID_PARAMETER", parameter);
}

/// The members of an item summary (docs/guide/categories.md), each with its type.
void expect_summary(const nlohmann::json& summary);

/// Whether `text` is a UTC time of the form YYYY-MM-DDTHH:MM:SSZ.
bool is_timestamp(const std::string& text);

/// The number of Unicode code points of a valid UTF-8 text; -1 where it is not valid.
long code_points(const std::string& text);

/// "YYYY-MM-DD" of so many days from today, UTC.
std::string day_from_today(int days);

}  // namespace kbase::tests
