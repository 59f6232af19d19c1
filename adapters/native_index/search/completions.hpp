// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "adapters/native_index/commits/snapshot.hpp"
#include "adapters/native_index/search/named_counts.hpp"

namespace kbase::native_index {

/// The words of the snapshot that begin with `beginning`, an exact form, and go on, with the items that have them or,
/// where a word is the stem of others, any of these. Those of most items first, then by their bytes; at most `limit`.
std::vector<NamedCount> complete(const Snapshot& snapshot, std::string_view beginning, std::size_t limit);

}  // namespace kbase::native_index
