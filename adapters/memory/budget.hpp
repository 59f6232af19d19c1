// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

namespace kbase::memory {

/// Limit on memory use, in bytes. Not thread-safe.
class Budget {
 public:
  explicit Budget(std::size_t max_bytes) : max_bytes_(max_bytes) {}

  /// Returns false and reserves nothing if fewer than `bytes` are left.
  bool reserve(std::size_t bytes) {
    if (!has(bytes)) return false;
    held_bytes_ += bytes;
    return true;
  }
  void release(std::size_t bytes) { held_bytes_ -= bytes; }

  bool has(std::size_t bytes) const { return bytes <= max_bytes_ - held_bytes_; }
  std::size_t held_bytes() const { return held_bytes_; }

 private:
  std::size_t max_bytes_;
  std::size_t held_bytes_ = 0;
};

}  // namespace kbase::memory
