// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace kbase::config {

/// Version of the program and of the HTTP API.
inline constexpr std::string_view kVersion = "1.0.0";

}  // namespace kbase::config
