// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace kbase::ports {

/// SHA-256 (FIPS 180-4), used for stored keys and rate-limit keys. Any thread; never fails.
class Digest {
 public:
  virtual ~Digest() = default;
  virtual std::array<std::uint8_t, 32> sha256(std::string_view bytes) const = 0;
};

}  // namespace kbase::ports
