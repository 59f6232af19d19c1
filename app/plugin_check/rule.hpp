// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace kbase::plugin_check {

/// The rule that a check enforces: the declaration of the plugin interface that states it, by its name.
/// "kb_cache_v1.get", "kb_item", "kb_text_sink", "KB_STOPPED"; in kbase/base.h also "rule 4 of the headers", "create of
/// every table" and "every table"; "kbase/cache.h" is the header as a whole.
struct Rule {
  std::string_view name;
};

/// A header of the plugin interface, embedded when the checker was built. Reports therefore cite the version that was
/// enforced, whatever is installed.
struct HeaderText {
  std::string_view name;  ///< "kbase/cache.h"
  std::string_view text;
};
std::span<const HeaderText> header_texts();

/// A line of a header.
struct HeaderLine {
  std::string_view header;  ///< "kbase/cache.h"; empty: no header declares it
  int line = 0;             ///< counted from 1
};
HeaderLine line_of(const Rule& rule);

/// "kbase/cache.h:32, kb_cache_v1.get".
std::string place_of(const Rule& rule);

}  // namespace kbase::plugin_check
