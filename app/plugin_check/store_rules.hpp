// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string_view>

namespace kbase::plugin_check {

/// A line of a header that several checks refer to.
struct RuledLine {
  std::string_view anchor;
  std::string_view about;
};
/// A check of a contract suite and the line that it enforces.
struct RuledCheck {
  std::string_view check;
  RuledLine line;
};

/// Rules for the contract suites of the three stores. See rule_of().
std::span<const RuledCheck> item_store_rules();
std::span<const RuledCheck> activity_store_rules();
std::span<const RuledCheck> key_store_rules();

}  // namespace kbase::plugin_check
