// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "adapters/native_index/commits/snapshot.hpp"
#include "adapters/native_index/search/workspace.hpp"
#include "adapters/text/query.hpp"
#include "ports/driven/search_index.hpp"

namespace kbase::native_index {

/// Puts the nearest word of the corpus in place of each word of the query that it lacks: of words within one mistake
/// (Damerau-Levenshtein) from 4 characters on, or two from 8 on, the one with the fewest mistakes, and of these the one
/// of most items. Words with a digit, prefixes and what is in quotes or excluded stay as they are. Returns what was
/// put in place of what, each once.
std::vector<ports::Correction> correct(text::Query& query, const Snapshot& snapshot, Workspace& workspace);

}  // namespace kbase::native_index
