// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>

namespace kbase::plugin_check {

/// Returns how many bytes this process has written to its standard output and error.
inline long printed_bytes() {
  std::fflush(nullptr);
  struct stat status {};
  return ::fstat(STDOUT_FILENO, &status) == 0 ? static_cast<long>(status.st_size) : 0;
}

}  // namespace kbase::plugin_check
