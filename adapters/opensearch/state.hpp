// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "adapters/opensearch/json.hpp"
#include "domain/model/ids.hpp"

namespace kbase::opensearch {

inline constexpr const char* kState = "state";  ///< kind and id of the state document

/// State of an index, as a document in it: a refresh publishes it together with the items of the same batch.
struct State {
  model::StoreId store_id{};
  model::Revision revision = 0;
  model::ViewsRevision views_revision = 0;
  /// A batch is being written. Searches see that only if OpenSearch itself published an incomplete batch, as it does
  /// when it recovers or moves the index. Then there is no complete state until the batch is written again.
  bool is_open = false;
  std::int64_t swept = 0;  ///< time of the last removal of old tombstones; seconds since 1970
};

/// A state with its index, and the sequence number and term that identify this version of it.
struct FoundState {
  State state;
  std::string index;
  std::uint64_t sequence = 0;
  std::uint64_t term = 0;
};

Json document_of(const State& state);

/// Reads the state from a search hit or a document. nullopt: it contains no state.
std::optional<FoundState> state_in(const Json& hit);

}  // namespace kbase::opensearch
