// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ports/driven/activity_store.hpp"
#include "ports/driven/clock.hpp"
#include "ports/driven/content_source.hpp"
#include "ports/driven/item_store.hpp"
#include "ports/driven/markup.hpp"
#include "ports/driving/content_writing.hpp"

namespace kbase::usecases {

/// Puts and removes single items. The condition of a change is checked in the batch that makes it, so no other change
/// can come between. Any thread.
class WriteItems {
 public:
  /// All must outlive the object.
  WriteItems(ports::ItemStore& items, ports::ActivityStore& activity, const ports::Markup& markup,
             const ports::Clock& clock)
      : items_(items), activity_(activity), markup_(markup), clock_(clock) {}

  /// Puts an item. It stays with the source that owns the stored item; a new one belongs to kSource. `base_url`: see
  /// ports::ImportOptions. InvalidArgument: the item is rejected.
  Result<ports::WriteReport> put(ports::Call& call, const ports::ContentRecord& record, std::string_view base_url,
                                 ports::WriteCondition condition);

  /// NotFound: there is no such item.
  Result<ports::WriteReport> remove(ports::Call& call, std::string_view id, ports::WriteCondition condition);

  /// Name that owns items which clients have put, unless an item names another source.
  static constexpr std::string_view kSource = "api";

 private:
  ports::ItemStore& items_;
  ports::ActivityStore& activity_;
  const ports::Markup& markup_;
  const ports::Clock& clock_;
};

}  // namespace kbase::usecases
