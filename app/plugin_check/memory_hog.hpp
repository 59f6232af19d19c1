// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

namespace kbase::plugin_check {

/// Allocates all memory that this process can still get except `left` bytes, so that malloc fails during its lifetime.
/// The destructor frees it. At most one at a time.
class MemoryHog {
 public:
  explicit MemoryHog(std::size_t left);
  ~MemoryHog();
  MemoryHog(const MemoryHog&) = delete;
  MemoryHog& operator=(const MemoryHog&) = delete;

 private:
  struct Block {
    Block* next;
  };

  void give(std::size_t bytes);

  Block* blocks_ = nullptr;
};

}  // namespace kbase::plugin_check
