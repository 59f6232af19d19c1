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

/// A segment of a batch, and what later changes of the batch take out of it.
struct BatchSegment {
  std::uint64_t number;
  std::shared_ptr<const Segment> segment;
  DocumentSet deleted;
};

/// What one thread does of a batch: gathers items in segments of its own. All changes of an item come to one share, in
/// their order. One thread at a time. After an error only destruction is left.
class BatchShare {
 public:
  /// `language` of every item; nullopt: detected item by item.
  BatchShare(IndexFolder& folder, std::optional<text::Language> language) : folder_(folder), language_(language) {}

  void put(const model::ItemView& item);
  void remove(std::string_view id);

  /// What is gathered and in no segment yet.
  const SegmentBuilder& gathered() const { return builder_; }

  /// Makes a segment of what is gathered, if anything is.
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
