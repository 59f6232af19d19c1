// SPDX-License-Identifier: Apache-2.0
#include "app/plugin_check/memory_hog.hpp"

#include <malloc.h>
#include <sys/resource.h>

#include <cstdlib>
#include <fstream>
#include <new>
#include <utility>

namespace kbase::plugin_check {
namespace {

/// Returns the size of the process's address space in bytes.
std::size_t address_space() {
  std::size_t pages = 0;
  std::ifstream("/proc/self/statm") >> pages;
  return pages * 4096;
}

void limit_address_space(rlim_t bytes) {
  rlimit limit{};
  ::getrlimit(RLIMIT_AS, &limit);
  limit.rlim_cur = bytes;
  ::setrlimit(RLIMIT_AS, &limit);
}

}  // namespace

MemoryHog::MemoryHog(std::size_t left) {
  limit_address_space(address_space());
  for (std::size_t size = 1U << 20U; size >= sizeof(Block); size /= 2)
    while (void* const memory = std::malloc(size)) blocks_ = new (memory) Block{blocks_};
  give(left);
}

MemoryHog::~MemoryHog() {
  while (blocks_ != nullptr) std::free(std::exchange(blocks_, blocks_->next));
  limit_address_space(RLIM_INFINITY);
}

void MemoryHog::give(std::size_t bytes) {
  while (blocks_ != nullptr && bytes > 0) {
    const std::size_t size = ::malloc_usable_size(blocks_);
    std::free(std::exchange(blocks_, blocks_->next));
    bytes -= size < bytes ? size : bytes;
  }
}

}  // namespace kbase::plugin_check
