// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "domain/model/day.hpp"
#include "domain/model/ids.hpp"

namespace kbase::ports {

/// The state an answer was, or would now be, computed on. Two answers to one request with equal validators are equal.
/// A validator is read before the rows it stands for, so it may be too old for them, never too new.
struct Validator {
  model::StoreId store_id{};
  model::Revision revision = 0;
  model::ViewsRevision views_revision = 0;  ///< 0 where counted views do not decide the answer
  model::Day day{};                         ///< today (UTC) where it decides the answer, else the epoch
  model::StoreId index_store_id{};          ///< of the search index where it decides the answer beside the store
};

}  // namespace kbase::ports
