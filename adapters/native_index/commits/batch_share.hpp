// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "adapters/native_index/commits/document_set.hpp"
#include "adapters/native_index/commits/index_folder.hpp"
#include "adapters/native_index/segments/segment_builder.hpp"
#include "adapters/text/language.hpp"

namespace kbase::native_index {

/// A segment of a batch, and the documents that later changes of the batch deleted from it.
struct BatchSegment {
  std::uint64_t number;
  std::shared_ptr<const Segment> segment;
  DocumentSet deleted;
};

/// One thread's share of a batch: gathers items in its own segments. All changes of an item go to the same share, in
/// order. Not thread-safe. After an error the object can only be destroyed.
class BatchShare {
 public:
  /// `language` is the language of all items; nullopt: detected per item.
  BatchShare(IndexFolder& folder, std::optional<text::Language> language) : folder_(folder), language_(language) {}

  void put(const model::ItemView& item);
  void remove(std::string_view id);

  /// Items gathered but not yet written to a segment.
  const SegmentBuilder& gathered() const { return builder_; }

  /// Writes the gathered items, if any, to a new segment.
  model::Status write(float pivot);

  std::vector<BatchSegment>& segments() { return segments_; }
  const std::vector<BatchSegment>& segments() const { return segments_; }

 private:
  void take_out(std::string_view id);

  IndexFolder& folder_;
  std::optional<text::Language> language_;
  SegmentBuilder builder_;
  std::vector<BatchSegment> segments_;
};

}  // namespace kbase::native_index
