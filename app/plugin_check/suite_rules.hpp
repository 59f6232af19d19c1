// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "app/plugin_check/rule.hpp"

namespace kbase::plugin_check {

/// Returns the rule of the port's header that a check of its contract suite enforces. A check without an entry gets the
/// header's first lines, which define the port; a test ensures that every check has an entry.
Rule rule_of(std::string_view port_id, std::string_view check);

}  // namespace kbase::plugin_check
