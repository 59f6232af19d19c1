// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "adapters/opensearch/server.hpp"
#include "adapters/opensearch/state.hpp"

/// Operations on whole indices.
namespace kbase::opensearch {

/// Returns the write alias of an index. The alias is removed together with the index; a late write to the index name
/// would create a new index.
inline std::string write_alias_of(const std::string& index) {
  return index + ".w";
}

/// Creates an empty index with a unique name derived from `now`, in milliseconds since 1970, and returns the name.
/// `alias` is the alias that searches will use.
model::Result<std::string> create_index(const Server& server, ports::Call& call, const Options& options,
                                        const std::string& alias, std::int64_t now);

/// Atomically moves `alias` to `index` and removes all other indices created for it.
/// Conflict: another process does the same.
model::Status publish_index(const Server& server, ports::Call& call, const std::string& alias,
                            const std::string& index);

/// Removes the indices that were created for `alias` before `before`, in milliseconds since 1970, and never published.
model::Status remove_leftovers(const Server& server, ports::Call& call, const std::string& alias, std::int64_t before);

/// Removes an index. A missing index is not an error.
model::Status remove_index(const Server& server, ports::Call& call, const std::string& index);

/// Refreshes an index, which makes all writes visible to searches.
model::Status refresh_index(const Server& server, ports::Call& call, const std::string& index);

/// Reads the state as last written, published or not. NotFound: there is none.
model::Result<FoundState> written_state(const Server& server, ports::Call& call, const std::string& index);

/// Reads the last written state of the index that `alias` points to. nullopt: there is none.
model::Result<std::optional<FoundState>> state_under(const Server& server, ports::Call& call, const std::string& alias);

/// Writes the state, replacing `before` (null: writes the first one). Returns it as stored. Conflict: another state was
/// written in the meantime.
model::Result<FoundState> write_state(const Server& server, ports::Call& call, const std::string& index,
                                      const State& state, const FoundState* before);

}  // namespace kbase::opensearch
