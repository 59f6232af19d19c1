// SPDX-License-Identifier: Apache-2.0
#include "adapters/content/sha256.hpp"

#include <openssl/evp.h>

#include <cstdlib>

namespace kbase::content {

Sha256::Sha256() : context_(::EVP_MD_CTX_new(), ::EVP_MD_CTX_free) {
  // Fails only if OpenSSL lacks SHA-256, which kbase cannot work without.
  if (context_ == nullptr || ::EVP_DigestInit_ex(context_.get(), ::EVP_sha256(), nullptr) != 1) std::abort();
}

void Sha256::add(std::string_view bytes) {
  if (::EVP_DigestUpdate(context_.get(), bytes.data(), bytes.size()) != 1) std::abort();
}

std::array<std::uint8_t, 32> Sha256::finish() {
  std::array<std::uint8_t, 32> hash{};
  if (::EVP_DigestFinal_ex(context_.get(), hash.data(), nullptr) != 1) std::abort();
  return hash;
}

}  // namespace kbase::content
