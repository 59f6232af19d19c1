// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "domain/base/result.hpp"
#include "ports/driven/call.hpp"
#include "ports/driven/item_store.hpp"

namespace kbase::usecases {

/// Returns the ids and those of all categories below them, each once; the given ones first. Ids of unknown categories
/// stay.
Result<std::vector<std::string>> with_subcategories(ports::Call& call, ports::ItemStore& items,
                                                    std::vector<std::string> ids);

/// Visits the items of several categories in the order of ItemStore::recent().
Status visit_recent(ports::Call& call, ports::ItemStore& items, const std::vector<std::string>& categories,
                    ports::Slice slice, ports::SummaryVisitor visitor);

}  // namespace kbase::usecases
