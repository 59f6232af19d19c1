// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>
#include <vector>

namespace kbase::ports {

/// Whether load balancers should send requests to this server. Never blocks. Any thread.
class Readiness {
 public:
  virtual ~Readiness() = default;

  /// Returns why the server is not ready: string literals, each a sentence without its period. Empty: the server is
  /// ready.
  virtual std::vector<std::string_view> obstacles() const = 0;
};

}  // namespace kbase::ports
