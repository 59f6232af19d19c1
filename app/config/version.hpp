// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace kbase::config {

/// Version of the program, from the top CMakeLists.txt.
extern const std::string_view kVersion;

}  // namespace kbase::config
