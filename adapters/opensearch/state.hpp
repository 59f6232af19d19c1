// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "adapters/opensearch/json.hpp"
#include "domain/model/ids.hpp"

namespace kbase::opensearch {

inline constexpr const char* kState = "state";  ///< its kind, and its document's name

/// What an index holds, as a document in it: a refresh publishes it together with the items it speaks of.
struct State {
  model::StoreId store_id{};
  model::Revision revision = 0;
  model::ViewsRevision views_revision = 0;
  /// A batch is being written. Nobody sees that but where OpenSearch published by itself what there was, as it does
  /// when it recovers or moves the index: then there is no whole state until the batch is written anew.
  bool is_open = false;
  std::int64_t swept = 0;  ///< when removed items were last cleared away; seconds since 1970
};

/// A state where it was found: its index, and what tells whether it is still the same there.
struct FoundState {
  State state;
  std::string index;
  std::uint64_t sequence = 0;
  std::uint64_t term = 0;
};

Json document_of(const State& state);

/// Of a hit, or of a document that was got. nullopt: it is none.
std::optional<FoundState> state_in(const Json& hit);

}  // namespace kbase::opensearch
