// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ports/driven/digest.hpp"
#include "ports/driven/random.hpp"

namespace kbase::system {

/// The kernel's random numbers (getrandom(2)). Any thread.
class SystemRandom final : public ports::Random {
 public:
  void fill(std::span<std::uint8_t> bytes) override;
};

/// SHA-256 by OpenSSL. Any thread.
class OpensslDigest final : public ports::Digest {
 public:
  std::array<std::uint8_t, 32> sha256(std::string_view bytes) const override;
};

}  // namespace kbase::system
