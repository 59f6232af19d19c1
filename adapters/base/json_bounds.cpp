// SPDX-License-Identifier: Apache-2.0
#include "adapters/base/json_bounds.hpp"

#include <algorithm>

namespace kbase::json {
namespace {

/// Removes a string from the start of `rest`, which begins after the opening quote.
void skip_string(std::string_view& rest) noexcept {
  while (true) {
    const std::size_t sign = rest.find_first_of("\"\\");
    if (sign == std::string_view::npos) return rest.remove_prefix(rest.size());
    const std::size_t end = rest[sign] == '"' ? sign + 1 : sign + 2;
    const bool is_over = rest[sign] == '"';
    rest.remove_prefix(std::min(end, rest.size()));
    if (is_over) return;
  }
}

}  // namespace

bool is_within(const Bounds& bounds, std::string_view text) noexcept {
  std::size_t depth = 0;
  std::size_t values = 0;  // one per comma, plus one per array or object
  while (true) {
    const std::size_t sign = text.find_first_of("\"[{]},");
    if (sign == std::string_view::npos) return true;
    const char c = text[sign];
    text.remove_prefix(sign + 1);
    if (c == '"') {
      skip_string(text);
    } else if (c == ']' || c == '}') {
      depth -= std::min<std::size_t>(depth, 1);
    } else {
      if (c != ',') ++depth;
      if (++values > bounds.values || depth > bounds.depth) return false;
    }
  }
}

}  // namespace kbase::json
