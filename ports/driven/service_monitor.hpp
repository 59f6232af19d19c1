// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace kbase::ports {

enum class Service {
  Storage,
  Search,
  Indexing,  ///< what brings the index up to date
  Cache,
  Codehost,
  Llm,
  RateLimit  ///< a counter on another machine
};
enum class ServiceState { Up, Down, Disabled };

/// What was last seen of each service; asking never waits for one. Any thread.
class ServiceMonitor {
 public:
  virtual ~ServiceMonitor() = default;
  virtual ServiceState state(Service service) const = 0;
};

}  // namespace kbase::ports
