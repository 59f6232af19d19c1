// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ports/driven/crypto.hpp"

namespace kbase::tests {

/// Returns different bytes on each call, and the same sequence in each run.
class CountingRandom final : public ports::Random {
 public:
  void fill(std::span<std::uint8_t> bytes) override {
    for (std::uint8_t& byte : bytes) byte = next_ = static_cast<std::uint8_t>(next_ * 167 + 41);
  }

 private:
  std::uint8_t next_ = 1;
};

}  // namespace kbase::tests
