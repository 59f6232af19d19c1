// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "adapters/opensearch/json.hpp"
#include "adapters/opensearch/options.hpp"

namespace kbase::opensearch {

/// Grows with every change of what is kept in an index.
inline constexpr std::uint32_t kFormatVersion = 3;

/// The last match a page may have (index.max_result_window).
inline constexpr std::uint64_t kMostMatches = 100'000;

/// Format, analysis and language: what answers depend on.
std::string settings_of(const Options& options);

/// The alias that searches go to. Its name tells the settings, so that servers of another version or language have an
/// index of their own and go on answering from it while this one is built.
std::string alias_of(const Options& options);

/// Settings and mappings of a new index, which is written under `write_alias` alone.
Json new_index(const Options& options, const std::string& write_alias);

}  // namespace kbase::opensearch
