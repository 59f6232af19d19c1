// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace kbase::plugin_check {

/// The sentence of the C header that a check holds a plugin to.
struct Rule {
  std::string_view header;  ///< "kbase/cache.h"
  std::string_view anchor;  ///< a text that stands in one line of the header alone
  std::string_view about;   ///< the function, struct or rule meant, for who has no header at hand: "kb_cache_v1.get"
};

/// A header of the plugin interface as it was when the checker was built: what a report points to is what the plugin
/// was held to, whatever is installed.
struct HeaderText {
  std::string_view name;  ///< "kbase/cache.h"
  std::string_view text;
};
std::span<const HeaderText> header_texts();

/// The line of the header that has the rule's anchor, counted from 1. 0: none has, or more than one.
int line_of(const Rule& rule);

/// "kbase/cache.h:32, kb_cache_v1.get".
std::string place_of(const Rule& rule);

}  // namespace kbase::plugin_check
