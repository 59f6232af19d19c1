// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory_resource>
#include <vector>

#include "ports/driven/content_source.hpp"

namespace kbase::runtime {

/// Deep copies of records, valid as long as the block. Not thread-safe.
class RecordBlock {
 public:
  void add(const ports::ContentRecord& record);

  const std::vector<ports::ContentRecord>& records() const { return records_; }
  bool is_full() const { return records_.size() >= kMostRecords || bytes_ >= kMostBytes; }

 private:
  static constexpr std::size_t kMostRecords = 500;
  static constexpr std::size_t kMostBytes = std::size_t{1} << 20;

  std::string_view keep(std::string_view text);
  template <class Entry>
  std::span<const Entry> keep(std::span<const Entry> entries);
  model::TextList keep_texts(model::TextList texts);

  std::pmr::monotonic_buffer_resource memory_{std::size_t{256} << 10};
  std::vector<ports::ContentRecord> records_;
  std::size_t bytes_ = 0;
};

}  // namespace kbase::runtime
