// SPDX-License-Identifier: Apache-2.0
#include "adapters/system/system_crypto.hpp"

#include <openssl/sha.h>
#include <sys/random.h>

#include <cerrno>
#include <cstdlib>

namespace kbase::system {

void SystemRandom::fill(std::span<std::uint8_t> bytes) {
  while (!bytes.empty()) {
    const ssize_t filled = ::getrandom(bytes.data(), bytes.size(), 0);
    if (filled < 0 && errno != EINTR) std::abort();  // a key made of anything else would be a hole
    if (filled > 0) bytes = bytes.subspan(static_cast<std::size_t>(filled));
  }
}

std::array<std::uint8_t, 32> OpensslDigest::sha256(std::string_view bytes) const {
  std::array<std::uint8_t, 32> hash;
  ::SHA256(reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size(), hash.data());
  return hash;
}

}  // namespace kbase::system
