// SPDX-License-Identifier: Apache-2.0
#include "adapters/native_index/postings/posting_writer.hpp"

#include <utility>

#include "adapters/native_index/postings/list_encoder.hpp"

namespace kbase::native_index {

std::uint64_t PostingWriter::finish_term() {
  const std::size_t begin = append_list(term_, pending_.postings, pending_.positions, taken_positions_);
  term_.clear();
  return taken_postings_ + begin;
}

PostingWriter::Pieces PostingWriter::take() {
  pending_.postings.resize((pending_.postings.size() + 7) / 8 * 8);  // keeps lists aligned
  taken_postings_ += pending_.postings.size();
  taken_positions_ += pending_.positions.size();
  return std::exchange(pending_, {});
}

}  // namespace kbase::native_index
