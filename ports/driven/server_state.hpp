// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "domain/base/function_ref.hpp"
#include "domain/model/api_key.hpp"
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

enum class Service {
  Storage,
  Search,
  Indexing,  ///< the task that updates the index from the store
  Cache,
  Codehost,
  Llm,
  RateLimit  ///< a rate limiter on another machine
};
enum class ServiceState { Up, Down, Disabled };

/// The last observed state of each service. Never blocks. Any thread.
class ServiceMonitor {
 public:
  virtual ~ServiceMonitor() = default;
  virtual ServiceState state(Service service) const = 0;
};

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
