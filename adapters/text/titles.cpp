// SPDX-License-Identifier: Apache-2.0
#include "adapters/text/titles.hpp"

namespace kbase::text {

void add_title_word(std::string& title, const Token& token) {
  if (!token.is_word()) return;
  if (!title.empty()) title += ' ';
  title += token.exact;
}

std::string fold_title(Analyzer& analyzer, std::string_view text) {
  std::string title;
  analyzer.analyze(text, Language::None, [&title](const Token& token) { add_title_word(title, token); });
  return title;
}

}  // namespace kbase::text
