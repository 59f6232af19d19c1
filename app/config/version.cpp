// SPDX-License-Identifier: Apache-2.0
#include "app/config/version.hpp"

namespace kbase::config {

constinit const std::string_view kVersion = KBASE_VERSION;

}  // namespace kbase::config
