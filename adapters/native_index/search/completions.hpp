// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "adapters/native_index/commits/snapshot.hpp"
#include "adapters/native_index/search/named_counts.hpp"

namespace kbase::native_index {

/// Returns words of the snapshot that are longer than their prefix `beginning`, as spelled in the items, with item
/// counts. For a word that is also a stem, the count includes items with any of its forms. Sorted by descending count,
/// then by bytes; at most `limit`.
std::vector<NamedCount> complete(const Snapshot& snapshot, std::string_view beginning, std::size_t limit);

}  // namespace kbase::native_index
