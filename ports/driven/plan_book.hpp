// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "domain/model/plan.hpp"

namespace kbase::ports {

/// The plans of the configuration as it stands now; a reload may change them between two calls. Any thread.
class PlanBook {
 public:
  virtual ~PlanBook() = default;
  /// nullopt: no plan of this name. The public plan always exists.
  virtual std::optional<model::Plan> find(std::string_view name) const = 0;
  virtual std::vector<std::string> names() const = 0;

  /// The name of the plan of a web page's requests without a key; `origin` as its browser sent it. nullopt: the public
  /// one, as of all that are no page's.
  virtual std::optional<std::string> of_origin(std::string_view origin) const = 0;
};

}  // namespace kbase::ports
