// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "adapters/native_index/commits/snapshot.hpp"
#include "adapters/native_index/search/workspace.hpp"
#include "adapters/text/query.hpp"
#include "ports/driven/search_index.hpp"

namespace kbase::native_index {

/// Replaces each query word that the index does not contain by the nearest indexed word. Allows one edit
/// (Damerau-Levenshtein) from 4 characters on and two from 8 on; prefers fewer edits, then more items. Words with a
/// digit, prefixes, quoted words and exclusions are not changed. Returns the replacements, without duplicates.
std::vector<ports::Correction> correct(text::Query& query, const Snapshot& snapshot, Workspace& workspace);

}  // namespace kbase::native_index
