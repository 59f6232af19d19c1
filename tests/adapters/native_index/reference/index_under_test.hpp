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

  /// The pivot length of its impacts, read before each search; nullopt: the index has its own scoring, so only the
  /// matches are compared, not their order by relevance.
  virtual std::optional<float> pivot() { return std::nullopt; }

  /// Runs one step of the index's background merges, if it has any.
  virtual Status merge() { return {}; }
};

using MakeIndex = std::function<std::unique_ptr<IndexUnderTest>()>;

}  // namespace kbase::tests
