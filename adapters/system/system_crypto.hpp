// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>

#include "ports/driven/clock.hpp"
#include "ports/driven/crypto.hpp"

struct evp_md_st;
namespace kbase::system {

/// Clocks of the operating system. Thread-safe.
class SystemClock final : public ports::Clock {
 public:
  model::Instant now() const override {
    return std::chrono::floor<std::chrono::milliseconds>(std::chrono::system_clock::now());
  }
  std::chrono::steady_clock::time_point steady() const override { return std::chrono::steady_clock::now(); }
};

/// Random numbers of the kernel (getrandom(2)). Thread-safe.
class SystemRandom final : public ports::Random {
 public:
  void fill(std::span<std::uint8_t> bytes) override;
};

/// SHA-256 by OpenSSL. Fetches the algorithm once, because OpenSSL's one-shot functions fetch it on each call, which
/// takes longer than the hash. Thread-safe.
class OpensslDigest final : public ports::Digest {
 public:
  OpensslDigest();
  std::array<std::uint8_t, 32> sha256(std::string_view bytes) const override;

 private:
  std::shared_ptr<evp_md_st> algorithm_;
};

/// HMAC-SHA-256 (RFC 2104) of messages of up to kMaxMessageBytes. Aborts on a longer message. Thread-safe.
class HmacSha256 {
 public:
  static constexpr std::size_t kMaxMessageBytes = 64;

  /// `secret` may have any length.
  explicit HmacSha256(std::string_view secret);

  std::array<std::uint8_t, 32> sign(std::string_view message) const;

 private:
  static constexpr std::size_t kBlockBytes = 64;  // block size of SHA-256
  using Block = std::array<char, kBlockBytes>;

  std::array<std::uint8_t, 32> hash_after(const Block& block, std::string_view message) const;

  OpensslDigest digest_;
  Block inner_;  // the key XORed with RFC 2104's ipad
  Block outer_;  // the key XORed with RFC 2104's opad
};

/// Keyed pseudonyms of clients. Thread-safe.
class HmacPseudonyms final : public ports::Pseudonyms {
 public:
  /// `secret` may have any length. It must stay confidential: with it, a pseudonym can be resolved by trying all client
  /// ids.
  explicit HmacPseudonyms(std::string_view secret) : hmac_(secret) {}

  ports::Pseudonym of(const model::ClientId& client_id) const override;

 private:
  HmacSha256 hmac_;
};

/// Thread-safe.
class HmacSignatures final : public ports::Signatures {
 public:
  /// `secret` may have any length.
  explicit HmacSignatures(std::string_view secret) : hmac_(secret) {}

  ports::Signature of(std::string_view text) const override;

 private:
  HmacSha256 hmac_;
};

}  // namespace kbase::system
