// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>

#include "adapters/native_index/commits/document_set.hpp"
#include "adapters/native_index/postings/posting_list.hpp"
#include "adapters/text/query.hpp"

namespace kbase::native_index {

/// Returns the dictionary name of a query term. A stem and a word that is its own stem have the same name.
inline std::string_view name_of(std::string_view term) {
  return term.front() == text::kStemMark ? term.substr(1) : term;
}

/// Returns the number of live documents in the list.
inline std::uint64_t live_documents(const PostingList& list, const DocumentSet& deleted) {
  return list.documents() - (deleted.size() == 0 ? 0 : list.count_in(deleted.words()));
}

}  // namespace kbase::native_index
