// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

namespace kbase::plugin_check {

/// Snapshot of process-wide state, which a plugin must not change: descriptions and values.
class ProcessState {
 public:
  /// Takes the snapshot.
  ProcessState();

  /// Returns the changes since the snapshot, one sentence each: "the umask is 077, it was 022".
  std::vector<std::string> changes() const;

 private:
  std::map<std::string, std::string> state_;
};

/// Resources of the process that may leak.
struct Resources {
  std::size_t heap_bytes = 0;
  std::size_t threads = 0;
  std::size_t open_files = 0;

  static Resources now();
};

/// Returns true if a sanitizer replaces the C library's allocator.
bool is_allocator_instrumented();

/// Returns how many bytes this process has written to its standard output and error.
long printed_bytes();

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
