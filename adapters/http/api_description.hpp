// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace kbase::http {

/// The OpenAPI 3.1 document of the interface below `base_path`, as compact JSON. Its source is openapi.json, beside
/// this file; tests compare it with the routes and with what they answer.
std::string api_description(std::string_view base_path);

}  // namespace kbase::http
