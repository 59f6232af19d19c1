// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string_view>

struct evp_md_ctx_st;

namespace kbase::content {

/// Incremental SHA-256 (FIPS 180-4). Not thread-safe. Never fails.
class Sha256 {
 public:
  Sha256();
  void add(std::string_view bytes);
  /// Returns the digest of all added bytes. add() must not be called afterwards.
  std::array<std::uint8_t, 32> finish();

 private:
  std::unique_ptr<evp_md_ctx_st, void (*)(evp_md_ctx_st*)> context_;
};

}  // namespace kbase::content
