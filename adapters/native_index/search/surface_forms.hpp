// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "adapters/native_index/commits/snapshot.hpp"
#include "adapters/text/analyzer.hpp"
#include "domain/base/result.hpp"

namespace kbase::native_index {

/// Returns `word`, the exact form of an indexed word, as the items write it most often: `München` for `munchen`. Judged
/// by the newest items that contain it, which costs some tens of microseconds. `word` itself if they do not
/// have it as a word. Errors: as StoreReader::read().
Result<std::string> find_surface_form(const Snapshot& snapshot, text::Analyzer& analyzer, std::string_view word);

}  // namespace kbase::native_index
