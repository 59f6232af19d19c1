// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "adapters/native_index/commits/document_set.hpp"
#include "adapters/native_index/segments/segment.hpp"
#include "adapters/text/language.hpp"
#include "domain/model/ids.hpp"

namespace kbase::native_index {

/// A segment as one commit sees it.
struct LiveSegment {
  std::uint64_t number = 0;
  std::shared_ptr<const Segment> segment;
  std::shared_ptr<const DocumentSet> deleted;                 ///< never null
  std::shared_ptr<const std::vector<std::uint64_t>> counted;  ///< views, of each document; empty: none has any

  std::uint32_t documents() const { return segment->documents() - deleted->size(); }

  /// Imported and counted ones.
  std::uint64_t views_of(std::uint32_t document) const {
    const std::uint64_t imported = segment->columns().views()[document];
    const std::uint64_t counts = !counted || counted->empty() ? 0 : (*counted)[document];
    return imported > ~counts ? ~std::uint64_t{0} : imported + counts;
  }
};

/// A state of the index, which never changes: a search answers from one. Its files stay readable as long as it lives.
struct Snapshot {
  std::string settings;
  model::Lineage lineage{};
  model::Revision revision = 0;
  model::ViewsRevision views_revision = 0;
  float pivot = 1;
  std::vector<LiveSegment> segments;
  std::uint64_t documents = 0;                  ///< that are not deleted
  std::vector<text::Language> languages;        ///< that a query's words are stemmed in
  std::vector<text::Language> other_languages;  ///< that only items are stemmed in
};

/// Sets what follows from the segments: the documents and the languages.
void count_documents(Snapshot& snapshot);

}  // namespace kbase::native_index
