// SPDX-License-Identifier: Apache-2.0
#include "app/plugin_check/lending.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <mutex>
#include <new>

namespace kbase::plugin_check {
namespace {

/// Overwritten blocks stay readable until the process ends, so that a plugin that kept a view reads wrong bytes instead
/// of bytes that happen to be right.
void keep_for_good(std::vector<std::byte> block) {
  static std::mutex mutex;
  static auto& kept = *new std::deque<std::vector<std::byte>>();
  std::fill(block.begin(), block.end(), std::byte{0xDD});
  const std::lock_guard lock(mutex);
  kept.push_back(std::move(block));
}

}  // namespace

EdgeMemory::EdgeMemory(std::size_t size) {
  const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  const std::size_t readable = (size + page - 1) / page * page;
  mapped_ = readable + page;
  void* const memory = ::mmap(nullptr, mapped_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) throw std::bad_alloc();
  pages_ = static_cast<std::byte*>(memory);
  ::mprotect(pages_ + readable, page, PROT_NONE);
  data_ = pages_ + readable - size;
}

EdgeMemory::EdgeMemory(EdgeMemory&& other) noexcept
    : pages_(std::exchange(other.pages_, nullptr)), mapped_(other.mapped_), data_(other.data_) {}

EdgeMemory::~EdgeMemory() {
  if (pages_ != nullptr) ::munmap(pages_, mapped_);
}

Loans::~Loans() {
  if (mode_.memory != Mode::Memory::Overwritten) return;
  for (std::vector<std::byte>& block : blocks_) keep_for_good(std::move(block));
}

kb_view Loans::text(std::string_view text) {
  if (text.empty() && mode_.memory == Mode::Memory::AtTheEdge) return {nullptr, 0};
  std::byte* const bytes = take(text.size());
  if (!text.empty()) std::memcpy(bytes, text.data(), text.size());
  return {reinterpret_cast<const char*>(bytes), text.size()};
}

std::byte* Loans::take(std::size_t size) {
  if (mode_.memory == Mode::Memory::AtTheEdge) return edges_.emplace_back(size).data();
  return blocks_.emplace_back(std::max<std::size_t>(size, 1)).data();
}

}  // namespace kbase::plugin_check
