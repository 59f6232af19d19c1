// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <optional>

#include "adapters/text/language.hpp"
#include "plugins/conformance/fixtures.hpp"
#include "tests/adapters/native_index/reference/reference_index.hpp"

namespace kbase::tests {

/// A new and empty index beside which the reference is held.
class IndexUnderTest : public conformance::SearchIndexFixture {
 public:
  /// The language of every item's words; nullopt: each item's is detected.
  virtual std::optional<text::Language> language() const { return std::nullopt; }

  /// What stems are in its dictionary.
  virtual ReferenceIndex::Stems stems() const { return ReferenceIndex::Stems::AreApart; }

  /// The pivot length of its impacts, asked before each search; nullopt: it scores in a way of its own, and so only
  /// what matches is compared, not the order by relevance.
  virtual std::optional<float> pivot() { return std::nullopt; }

  /// Does a piece of what the index else does in the background, where there is any.
  virtual model::Status merge() { return {}; }
};

using MakeIndex = std::function<std::unique_ptr<IndexUnderTest>()>;

}  // namespace kbase::tests
