// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

#include "adapters/http/request_parser.hpp"

namespace kbase::http {

/// Returns the value of the request's cookie `name` (RFC 6265 section 5.4). Of several, the last one.
std::optional<std::string_view> find_cookie(const Request& request, std::string_view name);

/// Returns the value of a Set-Cookie field for a cookie of this server alone, which no script can read and no request
/// from another site contains. `is_secure`: the client came by TLS, and the cookie is sent by TLS alone. An age of 0
/// removes the cookie.
std::string format_cookie(std::string_view name, std::string_view value, std::chrono::seconds age, bool is_secure);

}  // namespace kbase::http
