// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace kbase::http {

/// Returns the OpenAPI 3.1 document of the API below `base_path`, as compact JSON. Its source is openapi.json in this
/// directory. Tests compare it with the routes and their responses.
std::string api_description(std::string_view base_path);

}  // namespace kbase::http
