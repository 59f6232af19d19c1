// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string_view>

#include "app/plugin_check/rule.hpp"

namespace kbase::plugin_check {

/// A check of a contract suite and the rule that it enforces.
struct RuledCheck {
  std::string_view check;
  Rule rule;
};

/// Rules for the contract suites of the three stores. See rule_of().
std::span<const RuledCheck> item_store_rules();
std::span<const RuledCheck> activity_store_rules();
std::span<const RuledCheck> key_store_rules();

}  // namespace kbase::plugin_check
