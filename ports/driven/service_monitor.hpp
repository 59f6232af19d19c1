// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace kbase::ports {

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

}  // namespace kbase::ports
