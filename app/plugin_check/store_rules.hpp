// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string_view>

namespace kbase::plugin_check {

/// The line of a header that several checks are about.
struct RuledLine {
  std::string_view anchor;
  std::string_view about;
};
/// A check of a contract suite and the line that it is about.
struct RuledCheck {
  std::string_view check;
  RuledLine line;
};

/// Of the suites of the three stores. See rule_of().
std::span<const RuledCheck> item_store_rules();
std::span<const RuledCheck> activity_store_rules();
std::span<const RuledCheck> key_store_rules();

}  // namespace kbase::plugin_check
