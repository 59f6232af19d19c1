// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <optional>

#include "adapters/text/language.hpp"
#include "plugins/conformance/fixtures.hpp"
#include "tests/adapters/native_index/reference/reference_index.hpp"

namespace kbase::tests {

/// A new, empty index that is compared with the reference.
class IndexUnderTest : public conformance::SearchIndexFixture {
 public:
  /// The language of all items; nullopt: detected for each item.
  virtual std::optional<text::Language> language() const { return std::nullopt; }

  /// The way its dictionary stores stems.
  virtual ReferenceIndex::Stems stems() const { return ReferenceIndex::Stems::Marked; }

  /// Whether its scores are those of the reference. If not, only the matches are compared, not their order by
  /// relevance.
  virtual bool has_scores_of_reference() const { return false; }

  /// Runs one step of the index's background merges, if it has any.
  virtual Status merge() { return {}; }
};

using MakeIndex = std::function<std::unique_ptr<IndexUnderTest>()>;

}  // namespace kbase::tests
