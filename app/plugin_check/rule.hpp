// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace kbase::plugin_check {

/// The sentence of the C header that a check enforces.
struct Rule {
  std::string_view header;  ///< "kbase/cache.h"
  std::string_view anchor;  ///< a text that occurs in exactly one line of the header
  std::string_view about;   ///< the function, struct or rule, for readers without the header: "kb_cache_v1.get"
};

/// A header of the plugin interface, embedded when the checker was built. Reports therefore cite the version that was
/// enforced, whatever is installed.
struct HeaderText {
  std::string_view name;  ///< "kbase/cache.h"
  std::string_view text;
};
std::span<const HeaderText> header_texts();

/// Returns the line of the header that contains the anchor, counted from 1. 0: no line does, or several do.
int line_of(const Rule& rule);

/// "kbase/cache.h:32, kb_cache_v1.get".
std::string place_of(const Rule& rule);

}  // namespace kbase::plugin_check
