// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace kbase::config {

/// Of the program and of the interface it serves.
inline constexpr std::string_view kVersion = "1.0.0";

}  // namespace kbase::config
