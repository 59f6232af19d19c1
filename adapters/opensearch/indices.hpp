// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "adapters/opensearch/document.hpp"
#include "adapters/opensearch/response.hpp"
#include "adapters/opensearch/server.hpp"

namespace kbase::opensearch {

/// Version of the index format; increment it with every change of the stored data.
inline constexpr std::uint32_t kFormatVersion = 3;

/// Limit of offset plus page size (index.max_result_window).
inline constexpr std::uint64_t kMaxMatches = 100'000;

/// Returns format, analysis version and language: everything that results depend on.
std::string describe_settings(const Options& options);

/// Returns the alias that searches use. Its name contains the settings, so that servers of another version or language
/// keep searching their own index while this one is built.
std::string make_alias(const Options& options);

/// Returns settings and mappings of a new index. Only `write_alias` points to it.
Json make_index_definition(const Options& options, const std::string& write_alias);

// Operations on whole indices.

/// Returns the write alias of an index. The alias is removed together with the index; a late write to the index name
/// would create a new index.
inline std::string write_alias_for(const std::string& index) { return index + ".w"; }

/// Creates an empty index with a unique name derived from `now`, in milliseconds since 1970, and returns the name.
/// `alias` is the alias that searches will use.
Result<std::string> create_index(const Server& server, ports::Call& call, const Options& options,
                                 const std::string& alias, std::int64_t now);

/// Atomically moves `alias` to `index` and removes all other indices created for it.
/// Conflict: another process does the same.
Status publish_index(const Server& server, ports::Call& call, const std::string& alias, const std::string& index);

/// Removes the indices that were created for `alias` before `before`, in milliseconds since 1970, and never published.
Status remove_leftovers(const Server& server, ports::Call& call, const std::string& alias, std::int64_t before);

/// Removes an index. A missing index is not an error.
Status remove_index(const Server& server, ports::Call& call, const std::string& index);

/// Refreshes an index, which makes all writes visible to searches.
Status refresh_index(const Server& server, ports::Call& call, const std::string& index);

/// Reads the state as last written, published or not. NotFound: there is no state.
Result<StoredState> read_written_state(const Server& server, ports::Call& call, const std::string& index);

/// Reads the last written state of the index that `alias` points to. nullopt: it does not exist.
Result<std::optional<StoredState>> read_alias_state(const Server& server, ports::Call& call, const std::string& alias);

/// Writes the state, replacing `before` (null: writes the first one). Returns it as stored. Conflict: another state was
/// written in the meantime.
Result<StoredState> write_state(const Server& server, ports::Call& call, const std::string& index, const State& state,
                                const StoredState* before);

}  // namespace kbase::opensearch
