// SPDX-License-Identifier: Apache-2.0
#include "app/plugin_host/plugin_text.hpp"

#include <algorithm>
#include <string_view>

#include "domain/base/utf8.hpp"

namespace kbase::plugin_host {

std::string to_valid_utf8(kb_view view, std::size_t max_bytes) {
  std::string text;
  if (view.data == nullptr) return text;
  std::string_view rest(view.data, std::min(view.size, max_bytes));
  while (!rest.empty()) {
    const std::size_t length = utf8::sequence_length(rest);
    const std::string_view next = length > 0 ? rest.substr(0, length) : "\uFFFD";
    if (text.size() + next.size() > max_bytes) break;
    text += next;
    rest.remove_prefix(std::max<std::size_t>(length, 1));
  }
  return text;
}

}  // namespace kbase::plugin_host
