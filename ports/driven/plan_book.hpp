// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string_view>

#include "domain/model/plan.hpp"

namespace kbase::ports {

/// The plans of the configuration as it stands now; a reload may change them between two calls. Any thread.
class PlanBook {
 public:
  virtual ~PlanBook() = default;
  /// nullopt: no plan of this name. The public plan always exists.
  virtual std::optional<model::Plan> find(std::string_view name) const = 0;
};

}  // namespace kbase::ports
