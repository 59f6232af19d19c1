// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>

#include "domain/base/function_ref.hpp"
#include "domain/model/ids.hpp"
#include "ports/driven/item_store.hpp"

namespace kbase::ports {

/// Counts views in this process and holds all counted views in memory. A journal keeps new views if the process is
/// killed; an ActivityStore is updated in the background. Never blocks, never fails. Any thread.
class ViewCounter {
 public:
  virtual ~ViewCounter() = default;

  /// Counts one view of an item at the current time.
  virtual void count(std::string_view item) = 0;

  /// The counted views of an item, including this process's newest.
  virtual std::uint64_t views_of(std::string_view item) const = 0;

  /// Visits the counted views of existing items by category; at most a few seconds old.
  virtual void by_category(Visitor<CategoryViews> visitor) const = 0;

  /// Grows when responses that contain counted views may have changed.
  virtual model::ViewsRevision revision() const = 0;
};

}  // namespace kbase::ports
