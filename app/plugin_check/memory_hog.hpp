// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

namespace kbase::plugin_check {

/// Holds all the memory that this process could still get, but for `left` bytes: as long as it lives malloc fails. What
/// it holds goes back with it. One at a time.
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
