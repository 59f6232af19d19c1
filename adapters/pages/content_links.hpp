// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "domain/base/text.hpp"
#include "domain/model/item.hpp"

namespace kbase::pages {

/// Finds the items that the relative links of an item's content mean. Pages of a source link to each other by their
/// files; an import lists the pages that it found so as related items. A view of the item, which must outlive it.
class ContentLinks {
 public:
  explicit ContentLinks(const model::ItemView& item);

  /// Returns the address of the page of the item that a relative link means; empty: it means none.
  std::string find(std::string_view target) const;

 private:
  std::string_view id_;
  TextMap<std::string_view> related_;  // ids by their lower-case text
};

}  // namespace kbase::pages
