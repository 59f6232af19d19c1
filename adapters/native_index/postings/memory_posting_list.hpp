// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

#include "adapters/native_index/postings/posting_buffer.hpp"
#include "adapters/native_index/postings/posting_list.hpp"

namespace kbase::native_index {

/// A posting list that owns its bytes: what a query makes of several lists (a union, a phrase), or a term of items
/// that have just arrived. Read by any number of threads once made; views of it stay valid when it is moved.
class MemoryPostingList {
 public:
  MemoryPostingList() = default;  ///< one without postings
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
