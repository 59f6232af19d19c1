// SPDX-License-Identifier: Apache-2.0
#include "app/cli/foreign_text.hpp"

#include <unistd.h>

#include <algorithm>

#include "domain/model/utf8.hpp"

namespace kbase::cli {

std::string foreign_text(std::FILE* stream, std::string_view text) {
  if (::isatty(::fileno(stream)) != 1) return std::string(text);
  std::string shown;
  while (!text.empty()) {
    const bool is_layout = text.front() == '\t' || text.front() == '\n';
    const std::size_t length = is_layout ? 0 : model::utf8::control_length(text);
    if (length == 0)
      shown += text.front();
    else
      shown += "\xEF\xBF\xBD";
    text.remove_prefix(std::max<std::size_t>(length, 1));
  }
  return shown;
}

}  // namespace kbase::cli
