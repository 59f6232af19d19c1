// SPDX-License-Identifier: Apache-2.0
#include "adapters/system/system_crypto.hpp"

#include <openssl/evp.h>
#include <sys/random.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <span>

#include "domain/base/encoding.hpp"

namespace kbase::system {
namespace {

/// Fills `text` with the first hexadecimal digits of `code`.
void write_first_digits(std::span<const std::uint8_t> code, std::span<char> text) {
  for (std::size_t i = 0; i < text.size(); i += 2) {
    text[i] = kHexDigits[code[i / 2] >> 4];
    text[i + 1] = kHexDigits[code[i / 2] & 15];
  }
}

}  // namespace

void SystemRandom::fill(std::span<std::uint8_t> bytes) {
  while (!bytes.empty()) {
    const ssize_t filled = ::getrandom(bytes.data(), bytes.size(), 0);
    if (filled < 0 && errno != EINTR) std::abort();  // any other source would make keys predictable
    if (filled > 0) bytes = bytes.subspan(static_cast<std::size_t>(filled));
  }
}

OpensslDigest::OpensslDigest() : algorithm_(::EVP_MD_fetch(nullptr, "SHA256", nullptr), ::EVP_MD_free) {
  if (algorithm_ == nullptr) std::abort();  // this OpenSSL has no SHA-256
}

std::array<std::uint8_t, 32> OpensslDigest::sha256(std::string_view bytes) const {
  std::array<std::uint8_t, 32> hash;
  if (::EVP_Digest(bytes.data(), bytes.size(), hash.data(), nullptr, algorithm_.get(), nullptr) != 1) std::abort();
  return hash;
}

HmacSha256::HmacSha256(std::string_view secret) {
  constexpr char kInnerPad = 0x36;
  constexpr char kOuterPad = 0x5C;
  Block key{};
  if (secret.size() <= key.size()) {
    std::copy(secret.begin(), secret.end(), key.begin());
  } else {
    const auto hash = digest_.sha256(secret);
    std::copy(hash.begin(), hash.end(), key.begin());
  }
  std::transform(key.begin(), key.end(), inner_.begin(), [](char c) { return static_cast<char>(c ^ kInnerPad); });
  std::transform(key.begin(), key.end(), outer_.begin(), [](char c) { return static_cast<char>(c ^ kOuterPad); });
}

std::array<std::uint8_t, 32> HmacSha256::sign(std::string_view message) const {
  const auto inner = hash_after(inner_, message);
  return hash_after(outer_, {reinterpret_cast<const char*>(inner.data()), inner.size()});
}

std::array<std::uint8_t, 32> HmacSha256::hash_after(const Block& block, std::string_view message) const {
  if (message.size() > kMaxMessageBytes) std::abort();  // truncation would produce the code of another message
  std::array<char, kBlockBytes + kMaxMessageBytes> input;
  std::copy(message.begin(), message.end(), std::copy(block.begin(), block.end(), input.begin()));
  return digest_.sha256({input.data(), block.size() + message.size()});
}

ports::Pseudonym HmacPseudonyms::of(const model::ClientId& client_id) const {
  ports::Pseudonym name;
  write_first_digits(hmac_.sign({reinterpret_cast<const char*>(client_id.data()), client_id.size()}), name);
  return name;
}

ports::Signature HmacSignatures::of(std::string_view text) const {
  ports::Signature signature;
  write_first_digits(hmac_.sign(text), signature);
  return signature;
}

}  // namespace kbase::system
