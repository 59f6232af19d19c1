// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>

#include "domain/model/function_ref.hpp"
#include "domain/model/ids.hpp"
#include "ports/driven/item_store.hpp"

namespace kbase::ports {

/// The counted views in the process's memory, and the door for new ones: a journal that survives a killed process and
/// an ActivityStore that is brought up to date behind it. Never blocks, never fails. Any thread.
class ViewCounter {
 public:
  virtual ~ViewCounter() = default;

  /// Counts one view of an item, now.
  virtual void count(std::string_view item) = 0;

  /// The counted views of an item, this process's newest included.
  virtual std::uint64_t views_of(std::string_view item) const = 0;

  /// The counted views of existing items, by category; at most a few seconds old.
  virtual void by_category(model::Visitor<CategoryViews> visitor) const = 0;

  /// Grows whenever answers that show counted views may have changed.
  virtual model::ViewsRevision revision() const = 0;
};

}  // namespace kbase::ports
