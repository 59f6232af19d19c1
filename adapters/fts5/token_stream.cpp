// SPDX-License-Identifier: Apache-2.0
#include "adapters/fts5/token_stream.hpp"

#include <utility>

#include "adapters/fts5/tag_list.hpp"
#include "adapters/text/query.hpp"

namespace kbase::fts5 {

void append_term(std::string& stream, char where, std::string_view term) {
  stream += where;
  stream += term;
}

void append_text(std::string& stream, text::Analyzer& analyzer, std::string_view text, text::Language language) {
  analyzer.analyze(text, language, [&stream](const text::Token& token) {
    append_term(stream, token.role == text::Token::Role::Part ? kSamePosition : kNextPosition, token.exact);
    for (const std::string_view stem : token.stems()) {
      if (stem.empty()) continue;
      stream += kSamePosition;
      append_term(stream, text::kStemMark, stem);
    }
  });
}

void append_border(std::string& stream) {
  append_term(stream, kNextPosition, ",");
}

void append_tags(std::string& stream, text::Analyzer& analyzer, std::string_view tags, text::Language language) {
  visit_tags(tags, [&, is_first = true](std::string_view tag) mutable {
    if (!std::exchange(is_first, false)) append_border(stream);
    append_text(stream, analyzer, tag, language);
  });
}

}  // namespace kbase::fts5
