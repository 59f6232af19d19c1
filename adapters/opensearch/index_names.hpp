// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "adapters/opensearch/server.hpp"
#include "adapters/opensearch/state.hpp"

/// What is done to an index as a whole.
namespace kbase::opensearch {

/// The alias an index is written under. It goes with the index, where a name would have a new one made by the next
/// write of somebody who is late.
inline std::string write_alias_of(const std::string& index) {
  return index + ".w";
}

/// Makes an empty index with a name that no other has, of `now` in milliseconds since 1970; returns that. `alias` is
/// what it will be searched under.
model::Result<std::string> create_index(const Server& server, ports::Call& call, const Options& options,
                                        const std::string& alias, std::int64_t now);

/// Gives `alias` to `index` and removes every other index that was made for it, at once.
/// Conflict: somebody else does the same.
model::Status publish_index(const Server& server, ports::Call& call, const std::string& alias,
                            const std::string& index);

/// Removes the indices that were made for `alias` before this time, in milliseconds since 1970, and never got it.
model::Status remove_leftovers(const Server& server, ports::Call& call, const std::string& alias, std::int64_t before);

/// One that is not there is none to remove.
model::Status remove_index(const Server& server, ports::Call& call, const std::string& index);

/// Publishes what was written to it.
model::Status refresh_index(const Server& server, ports::Call& call, const std::string& index);

/// The state as it was written last, published or not. NotFound.
model::Result<FoundState> written_state(const Server& server, ports::Call& call, const std::string& index);

/// The same of the index that `alias` leads searches to. nullopt: there is none.
model::Result<std::optional<FoundState>> state_under(const Server& server, ports::Call& call, const std::string& alias);

/// Writes the state over `before`, or as the first one; returns it as it is then. Conflict: another state was written
/// meanwhile.
model::Result<FoundState> write_state(const Server& server, ports::Call& call, const std::string& index,
                                      const State& state, const FoundState* before);

}  // namespace kbase::opensearch
