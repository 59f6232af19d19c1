// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "app/plugin_check/rule.hpp"

namespace kbase::plugin_check {

/// The sentence of the port's header that a check of its contract suite is about. A check that has none named falls
/// back to the header's first lines, which say what the port is; a test sees to it that none does.
Rule rule_of(std::string_view port_id, std::string_view check);

}  // namespace kbase::plugin_check
