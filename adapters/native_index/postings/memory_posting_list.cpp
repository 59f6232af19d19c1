// SPDX-License-Identifier: Apache-2.0
#include "adapters/native_index/postings/memory_posting_list.hpp"

#include <cassert>

#include "adapters/native_index/postings/list_encoder.hpp"

namespace kbase::native_index {

MemoryPostingList::MemoryPostingList(const PostingBuffer& postings) {
  if (postings.empty()) return;
  append_list(postings, postings_, positions_, 0);
  const model::Result<PostingList> list = PostingList::open(postings_, 0, positions_);
  assert(list.has_value());
  list_ = *list;
}

}  // namespace kbase::native_index
