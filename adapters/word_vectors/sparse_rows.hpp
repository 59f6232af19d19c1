// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace kbase::word_vectors {

/// A sparse matrix, stored row by row (CSR). Not thread-safe.
class SparseRows {
 public:
  struct Entry {
    std::uint32_t column;
    float value;
  };

  /// Adds a row. No column occurs twice in `row`.
  void add(std::span<const Entry> row);

  std::size_t rows() const { return ends_.size() - 1; }
  std::size_t entries() const { return entries_.size(); }
  std::span<const Entry> row(std::size_t number) const;

 private:
  std::vector<Entry> entries_;
  std::vector<std::size_t> ends_ = {0};  // row n is [ends_[n], ends_[n + 1])
};

}  // namespace kbase::word_vectors
