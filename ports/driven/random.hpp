// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>

namespace kbase::ports {

/// Unpredictable bytes, fit for keys and ids. Any thread; never fails (a system that cannot give any is aborted).
class Random {
 public:
  virtual ~Random() = default;
  virtual void fill(std::span<std::uint8_t> bytes) = 0;
};

}  // namespace kbase::ports
