// SPDX-License-Identifier: Apache-2.0
#include "adapters/opensearch/token_stream.hpp"

#include "adapters/text/query.hpp"

namespace kbase::opensearch {
namespace {

class Writing {
 public:
  Writing(text::Analyzer& analyzer, text::Language language) : analyzer_(analyzer), language_(language) {}

  /// Adds one field or one tag.
  void add(std::string_view text, int weight) {
    words_.clear();
    exact_.clear();
    if (!streams_.text.empty()) append_name(streams_.text, kNoWord, false);
    analyzer_.analyze(text, language_, [this](const text::Token& token) { take(token); });
    for (int i = 0; i < weight; ++i) {
      streams_.words += words_;
      streams_.exact += exact_;
    }
  }

  Streams done() { return std::move(streams_); }

 private:
  void take(const text::Token& token) {
    const bool is_part = token.role == text::Token::Role::Part;
    const std::string_view stem = token.stem.empty() ? token.exact : token.stem;
    append_name(streams_.text, token.exact, is_part);
    append_name(streams_.text, text::kStemMark + std::string(stem), true);
    if (!token.stem_of_exact.empty())
      append_name(streams_.text, text::kStemMark + std::string(token.stem_of_exact), true);

    append_name(words_, stem, is_part);
    if (!token.stem_of_exact.empty()) append_name(words_, token.stem_of_exact, true);
    append_name(exact_, token.stem.empty() ? kNoWord : token.exact, is_part);
  }

  text::Analyzer& analyzer_;
  const text::Language language_;
  Streams streams_;
  std::string words_, exact_;  // of the current field
};

}  // namespace

void append_name(std::string& stream, std::string_view name, bool at_same_position) {
  stream += at_same_position ? kSamePosition : ' ';
  for (const char c : name) {
    const bool parts = (c >= 0 && c <= ' ') || c == kSamePosition;
    stream += parts ? '_' : c;
  }
}

Streams streams_of(text::Analyzer& analyzer, const model::ItemView& item, text::Language language) {
  Writing writing(analyzer, language);
  writing.add(item.title, kTitleWeight);
  for (const std::string_view tag : item.tags) writing.add(tag, kTagWeight);
  writing.add(item.content, 1);
  return writing.done();
}

}  // namespace kbase::opensearch
