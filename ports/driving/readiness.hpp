// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>
#include <vector>

namespace kbase::ports {

/// Whether whoever spreads requests over servers should give this one any. Never waits. Any thread.
class Readiness {
 public:
  virtual ~Readiness() = default;

  /// What stands in the way, each a literal sentence without its full stop; none: it is ready.
  virtual std::vector<std::string_view> obstacles() const = 0;
};

}  // namespace kbase::ports
