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
  std::map<std::string, std::string> matters_;
};

/// Resources of the process that may leak.
struct Holdings {
  std::size_t heap_bytes = 0;
  std::size_t threads = 0;
  std::size_t open_files = 0;

  static Holdings now();
};

/// Returns true if a sanitizer replaces the C library's allocator.
bool is_allocator_instrumented();

}  // namespace kbase::plugin_check
