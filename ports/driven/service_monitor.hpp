// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace kbase::ports {

enum class Service { Storage, Search, Cache, Codehost, Llm };
enum class ServiceState { Up, Down, Disabled };

/// What a background probe last saw of each service; asking never waits for one. Any thread.
class ServiceMonitor {
 public:
  virtual ~ServiceMonitor() = default;
  virtual ServiceState state(Service service) const = 0;
};

}  // namespace kbase::ports
