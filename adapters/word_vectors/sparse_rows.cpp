// SPDX-License-Identifier: Apache-2.0
#include "adapters/word_vectors/sparse_rows.hpp"

namespace kbase::word_vectors {

void SparseRows::add(std::span<const Entry> row) {
  entries_.insert(entries_.end(), row.begin(), row.end());
  ends_.push_back(entries_.size());
}

std::span<const SparseRows::Entry> SparseRows::row(std::size_t number) const {
  return std::span(entries_).subspan(ends_[number], ends_[number + 1] - ends_[number]);
}

}  // namespace kbase::word_vectors
