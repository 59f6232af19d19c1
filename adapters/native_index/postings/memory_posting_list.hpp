// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

#include "adapters/native_index/postings/posting_buffer.hpp"
#include "adapters/native_index/postings/posting_list.hpp"

namespace kbase::native_index {

/// A posting list that owns its bytes, for lists that a query computes (a disjunction, a phrase). Thread-safe once
/// constructed. Moving it keeps views valid.
class MemoryPostingList {
 public:
  MemoryPostingList() = default;  ///< an empty list
  explicit MemoryPostingList(const PostingBuffer& postings);

  MemoryPostingList(MemoryPostingList&&) = default;
  MemoryPostingList& operator=(MemoryPostingList&&) = default;

  const PostingList& list() const { return list_; }

 private:
  std::vector<std::byte> postings_;
  std::vector<std::byte> positions_;
  PostingList list_;
};

}  // namespace kbase::native_index
