// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "domain/model/query.hpp"
#include "ports/driven/item_store.hpp"
#include "ports/driven/search_index.hpp"
#include "ports/driving/catalog.hpp"

namespace kbase::usecases {

/// Finds the items related to an item, see Catalog::related. Views are the imported ones. Serves one request.
class RelatedItems {
 public:
  /// Both must outlive the object.
  RelatedItems(ports::ItemStore& items, ports::SearchIndex& index) : items_(items), index_(index) {}

  model::Status visit(ports::Call& call, std::string_view id, std::uint64_t limit,
                      model::Visitor<ports::RelatedItem> visitor);

 private:
  model::Status read(ports::Call& call, std::string_view id);
  model::Status find_similar(ports::Call& call, std::uint64_t limit);
  model::Status hand_out(ports::Call& call, bool is_stored, std::uint64_t limit,
                         model::Visitor<ports::RelatedItem> visitor);

  ports::ItemStore& items_;
  ports::SearchIndex& index_;
  model::QueryNode about_;          // query of the words of the item's title and tags
  std::vector<std::string> ids_;    // candidates to visit
  std::vector<std::string> known_;  // id of the item itself and those already visited
  bool is_over_ = false;
};

}  // namespace kbase::usecases
