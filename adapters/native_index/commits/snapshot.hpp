// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "adapters/native_index/commits/document_set.hpp"
#include "adapters/native_index/commits/view_counts.hpp"
#include "adapters/native_index/segments/segment.hpp"
#include "adapters/text/language.hpp"
#include "domain/model/ids.hpp"

namespace kbase::native_index {

/// A segment as of one commit.
struct LiveSegment {
  std::uint64_t number = 0;
  std::shared_ptr<const Segment> segment;
  std::shared_ptr<const DocumentSet> deleted;  ///< never null
  std::shared_ptr<const ViewCounts> views;     ///< never null in a published snapshot

  std::uint32_t documents() const { return segment->documents() - deleted->size(); }
};

/// Immutable state of the index, which a search runs on. Its files stay readable as long as the object lives.
struct Snapshot {
  std::string settings;
  model::StoreId store_id{};
  model::Revision revision = 0;
  model::ViewsRevision views_revision = 0;
  float pivot = 1;
  std::vector<LiveSegment> segments;
  std::uint64_t documents = 0;                  ///< not deleted
  std::vector<text::Language> languages;        ///< in which query words are stemmed
  std::vector<text::Language> other_languages;  ///< in which only items are stemmed
};

/// Computes the members that depend on the segments: document count and languages.
void count_documents(Snapshot& snapshot);

}  // namespace kbase::native_index
