// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "domain/model/plan.hpp"

namespace kbase::ports {

/// The plans of the current configuration. A reload may change them between two calls. Any thread.
class PlanRegistry {
 public:
  virtual ~PlanRegistry() = default;
  /// nullopt: there is no such plan. The public plan always exists.
  virtual std::optional<model::Plan> find(std::string_view name) const = 0;
  virtual std::vector<std::string> names() const = 0;

  /// Returns the name of the plan for requests without a key from web pages of `origin`, as the browser sent it.
  /// nullopt: the public plan, as for requests that are not from a web page.
  virtual std::optional<std::string> find_by_origin(std::string_view origin) const = 0;
};

}  // namespace kbase::ports
