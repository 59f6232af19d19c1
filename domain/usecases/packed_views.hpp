// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "domain/base/function_ref.hpp"
#include "domain/base/result.hpp"
#include "ports/driven/activity_store.hpp"

namespace kbase::usecases {

/// Counted views of items in the order in which they were added, in about 3 bytes for each day and the length of the
/// id. An export of many items has a line of views for each, which an import holds until the items are stored. Not
/// thread-safe.
class PackedViews {
 public:
  void add(std::string_view item, std::span<const ports::DayViews> days);

  /// Visits all items. Stops at the first error, which it returns.
  Status visit(FunctionRef<Status(std::string_view item, std::span<const ports::DayViews> days)> visitor) const;

 private:
  std::vector<std::string> blocks_;  // of whole items; a single string would be copied when it grows
};

}  // namespace kbase::usecases
