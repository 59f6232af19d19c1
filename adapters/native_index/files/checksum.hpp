// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <xxhash.h>

#include <cstdint>
#include <memory>
#include <string_view>

namespace kbase::native_index {

/// XXH3-64 of bytes that arrive in pieces; native_index only. Call reset() before the first update().
class Checksum {
 public:
  static std::uint64_t of(std::string_view bytes) { return XXH3_64bits(bytes.data(), bytes.size()); }

  void reset() { XXH3_64bits_reset(state_.get()); }
  void update(std::string_view bytes) { XXH3_64bits_update(state_.get(), bytes.data(), bytes.size()); }
  std::uint64_t digest() const { return XXH3_64bits_digest(state_.get()); }

 private:
  struct Deleter {
    void operator()(XXH3_state_t* state) const { XXH3_freeState(state); }
  };

  std::unique_ptr<XXH3_state_t, Deleter> state_{XXH3_createState()};
};

}  // namespace kbase::native_index
