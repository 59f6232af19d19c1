// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string_view>

struct evp_md_ctx_st;

namespace kbase::content {

/// SHA-256 (FIPS 180-4) of bytes that come one after the other. One thread; never fails.
class Sha256 {
 public:
  Sha256();
  void add(std::string_view bytes);
  /// Of all that was added; nothing is added after it.
  std::array<std::uint8_t, 32> finish();

 private:
  std::unique_ptr<evp_md_ctx_st, void (*)(evp_md_ctx_st*)> context_;
};

}  // namespace kbase::content
