// SPDX-License-Identifier: Apache-2.0
#include "adapters/text/titles.hpp"

#include <vector>

namespace kbase::text {

void analyze_title(Analyzer& analyzer, std::string_view text, ItemLanguages languages, Analyzer::Sink sink) {
  std::vector<std::string> stems;  // of all tokens, which are the same in each language
  if (languages.title != Language::None)
    analyzer.analyze(text, languages.title, [&stems](const Token& token) { stems.emplace_back(token.stem); });
  std::size_t number = 0;
  analyzer.analyze(text, languages.content, [&](const Token& token) {
    sink(token);
    if (stems.empty()) return;
    const std::string& stem = stems[number++];
    if (stem.empty() || stem == token.exact || stem == token.stem || stem == token.stem_of_exact) return;
    sink({stem, {}, {}, token.begin, token.end, token.position, Token::Role::Part});
  });
}

std::string fold_title(Analyzer& analyzer, std::string_view text) {
  std::string title;
  analyzer.analyze(text, Language::None, [&title](const Token& token) {
    if (!token.is_word()) return;
    if (!title.empty()) title += ' ';
    title += token.exact;
  });
  return title;
}

}  // namespace kbase::text
