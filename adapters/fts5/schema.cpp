// SPDX-License-Identifier: Apache-2.0
#include "adapters/fts5/schema.hpp"

#include <algorithm>

#include "adapters/text/query.hpp"

namespace kbase::fts5 {

model::Result<ContentsReader> ContentsReader::prepare(Database& database) {
  ContentsReader reader;
  model::Result<Statement> meta = database.prepare("SELECT settings, lineage, revision, documents FROM meta");
  if (!meta) return meta.error();
  model::Result<Statement> languages = database.prepare("SELECT code, items FROM language ORDER BY items DESC, code");
  if (!languages) return languages.error();
  reader.meta_ = *std::move(meta);
  reader.languages_ = *std::move(languages);
  return reader;
}

model::Result<Contents> ContentsReader::read(std::string_view settings) {
  Contents contents;
  const model::Result<bool> row = meta_.step();
  if (!row) return row.error();
  if (*row && meta_.text(0) == settings && meta_.text(1).size() == contents.state.lineage.size()) {
    const std::string_view lineage = meta_.text(1);
    std::copy(lineage.begin(), lineage.end(), contents.state.lineage.begin());
    contents.state.revision = static_cast<model::Revision>(meta_.number(2));
    contents.state.documents = static_cast<std::uint64_t>(meta_.number(3));
    contents.state.complete = true;
  }
  meta_.reset();
  for (bool more = contents.state.complete; more;) {
    const model::Result<bool> next = languages_.step();
    if (!next) return next.error();
    const double share = *next ? static_cast<double>(languages_.number(1)) : 0;
    more = *next && share > 0 && share >= text::kMinLanguageShare * static_cast<double>(contents.state.documents);
    if (!more) break;
    const std::optional<text::Language> language = text::language_named(languages_.text(0));
    if (language && *language != text::Language::None) contents.languages.push_back(*language);
    more = contents.languages.size() < text::kMaxQueryLanguages;
  }
  languages_.reset();
  return contents;
}

}  // namespace kbase::fts5
