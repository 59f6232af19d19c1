// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "domain/model/day.hpp"
#include "domain/model/ids.hpp"

namespace kbase::ports {

/// The state that a response was, or would now be, computed on. Two responses to the same request with equal validators
/// are equal. A validator is read before its rows, so it may be older than they are, but never newer.
struct Validator {
  model::StoreId store_id{};                ///< store of the content
  model::Revision content_revision = 0;     ///< revision of that content
  model::ViewsRevision views_revision = 0;  ///< counted views; 0: the response does not depend on them
  model::Day day{};                         ///< today (UTC) if the response depends on it, else the epoch
  /// Store and revision of the search index, if the response depends on both the store and the index, else zeros.
  model::StoreId index_store_id{};
  model::Revision index_revision = 0;
  std::uint64_t synonyms = 0;  ///< SynonymTable::digest() if the response depends on them, else 0

  bool operator==(const Validator&) const = default;
};

}  // namespace kbase::ports
