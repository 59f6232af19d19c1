// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "domain/base/text.hpp"
#include "ports/driven/synonym_source.hpp"

namespace kbase::tests {

/// Synonyms that do not change; words are compared without ASCII case.
class FixedSynonyms final : public ports::SynonymSource {
 public:
  FixedSynonyms() = default;
  explicit FixedSynonyms(const std::vector<model::Synonyms>& all)
      : table_(std::make_shared<const model::SynonymTable>(
            all, [](std::string_view word) { return ascii::to_lower(word); })) {}

  std::shared_ptr<const model::SynonymTable> current() const override { return table_; }

 private:
  std::shared_ptr<const model::SynonymTable> table_ = std::make_shared<const model::SynonymTable>();
};

/// Returns synonyms of which each finds the others.
inline model::Synonyms synonyms(std::vector<std::string> words) {
  model::Synonyms made;
  made.words = std::move(words);
  return made;
}

/// Returns synonyms that `from` also finds.
inline model::Synonyms synonyms_of(std::string from, std::vector<std::string> words) {
  model::Synonyms made = synonyms(std::move(words));
  made.from = std::move(from);
  return made;
}

}  // namespace kbase::tests
