// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>

#include "ports/driven/digest.hpp"
#include "ports/driven/pseudonyms.hpp"
#include "ports/driven/random.hpp"

struct evp_md_st;

namespace kbase::system {

/// The kernel's random numbers (getrandom(2)). Any thread.
class SystemRandom final : public ports::Random {
 public:
  void fill(std::span<std::uint8_t> bytes) override;
};

/// SHA-256 by OpenSSL. Looks the algorithm up once: OpenSSL's one-call functions do so each time, which takes longer
/// than to hash. Any thread.
class OpensslDigest final : public ports::Digest {
 public:
  OpensslDigest();
  std::array<std::uint8_t, 32> sha256(std::string_view bytes) const override;

 private:
  std::shared_ptr<evp_md_st> algorithm_;
};

/// HMAC-SHA-256 (RFC 2104) of short messages under a secret. Any thread.
class HmacSha256 {
 public:
  static constexpr std::size_t kMaxMessageBytes = 64;

  /// Of any length.
  explicit HmacSha256(std::string_view secret);

  std::array<std::uint8_t, 32> of(std::string_view message) const;

 private:
  static constexpr std::size_t kBlockBytes = 64;  // of SHA-256
  using Block = std::array<char, kBlockBytes>;

  std::array<std::uint8_t, 32> hash_after(const Block& block, std::string_view message) const;

  OpensslDigest digest_;
  Block inner_;  // the secret XORed with RFC 2104's ipad
  Block outer_;  // and with its opad
};

/// Pseudonyms under a secret. Any thread.
class HmacPseudonyms final : public ports::Pseudonyms {
 public:
  /// Whoever has `secret`, of any length, can find out whom a pseudonym stands for by trying everybody.
  explicit HmacPseudonyms(std::string_view secret) : code_(secret) {}

  ports::Pseudonym of(const model::ClientId& client_id) const override;

 private:
  HmacSha256 code_;
};

}  // namespace kbase::system
