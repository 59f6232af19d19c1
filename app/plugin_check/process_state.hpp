// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

namespace kbase::plugin_check {

/// What belongs to the process as a whole, and so not to a plugin: each matter in words.
class ProcessState {
 public:
  /// As it is now.
  ProcessState();

  /// What is different since: "the umask is 077, it was 022". One sentence for each matter.
  std::vector<std::string> changes() const;

 private:
  std::map<std::string, std::string> matters_;
};

/// What a process holds that may grow.
struct Holdings {
  std::size_t heap_bytes = 0;
  std::size_t threads = 0;
  std::size_t open_files = 0;

  static Holdings now();
};

/// Whether a sanitizer stands in the place of the C library's allocator.
bool is_allocator_instrumented();

}  // namespace kbase::plugin_check
