// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "adapters/native_index/postings/format.hpp"

namespace kbase::native_index {

/// A set of documents of one segment, such as the deleted ones. Thread-safe once it no longer changes.
class DocumentSet {
 public:
  DocumentSet() = default;
  explicit DocumentSet(std::uint32_t documents)
      : words_((documents + std::size_t{kWindowDocuments - 1}) / kWindowDocuments * kWindowWords) {}

  /// Restores a set from words(). The caller must rule out documents past the segment's end.
  explicit DocumentSet(std::vector<std::uint64_t> words) : words_(std::move(words)) {
    for (const std::uint64_t word : words_) size_ += static_cast<std::uint32_t>(__builtin_popcountll(word));
  }

  /// Returns false if the document was already in the set.
  bool insert(std::uint32_t document) {
    std::uint64_t& word = words_[document / 64];
    const std::uint64_t bit = std::uint64_t{1} << (document % 64);
    if ((word & bit) != 0) return false;
    word |= bit;
    ++size_;
    return true;
  }

  bool contains(std::uint32_t document) const { return (words_[document / 64] >> (document % 64) & 1) != 0; }
  std::uint32_t size() const { return size_; }

  /// One bit per document, starting with the lowest, in whole windows.
  std::span<const std::uint64_t> words() const { return words_; }

  /// Visits the documents in ascending order.
  template <class Visitor>
  void for_each(const Visitor& visit) const {
    for (std::size_t i = 0; i < words_.size(); ++i)
      for (std::uint64_t rest = words_[i]; rest != 0; rest &= rest - 1)
        visit(static_cast<std::uint32_t>(i * 64) + static_cast<std::uint32_t>(__builtin_ctzll(rest)));
  }

 private:
  std::vector<std::uint64_t> words_;
  std::uint32_t size_ = 0;
};

}  // namespace kbase::native_index
