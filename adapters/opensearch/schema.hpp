// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "adapters/opensearch/json.hpp"
#include "adapters/opensearch/options.hpp"

namespace kbase::opensearch {

/// Version of the index format; increment it with every change of the stored data.
inline constexpr std::uint32_t kFormatVersion = 3;

/// Limit of offset plus page size (index.max_result_window).
inline constexpr std::uint64_t kMostMatches = 100'000;

/// Returns format, analysis version and language: everything that results depend on.
std::string settings_of(const Options& options);

/// Returns the alias that searches use. Its name contains the settings, so that servers of another version or language
/// keep searching their own index while this one is built.
std::string alias_of(const Options& options);

/// Returns settings and mappings of a new index. Only `write_alias` points to it.
Json new_index(const Options& options, const std::string& write_alias);

}  // namespace kbase::opensearch
