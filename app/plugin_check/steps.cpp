// SPDX-License-Identifier: Apache-2.0
#include "app/plugin_check/steps.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <new>

namespace kbase::plugin_check {

struct Steps::Shared {
  static constexpr std::size_t kCapacity = 120;

  std::atomic<std::size_t> size{0};
  std::atomic<char> text[kCapacity];
};

Steps::Steps() {
  void* memory = ::mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) throw std::bad_alloc();
  shared_ = new (memory) Shared();
}

Steps::~Steps() {
  ::munmap(shared_, sizeof(Shared));
}

void Steps::enter(std::string_view step) noexcept {
  const std::size_t size = std::min(step.size(), Shared::kCapacity);
  for (std::size_t i = 0; i < size; ++i) shared_->text[i].store(step[i], std::memory_order_relaxed);
  shared_->size.store(size, std::memory_order_release);
}

std::string Steps::last() const {
  std::string step(shared_->size.load(std::memory_order_acquire), '\0');
  for (std::size_t i = 0; i < step.size(); ++i) step[i] = shared_->text[i].load(std::memory_order_relaxed);
  return step;
}

}  // namespace kbase::plugin_check
