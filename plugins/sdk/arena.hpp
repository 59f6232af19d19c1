// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <span>
#include <type_traits>
#include <vector>

namespace kbase::sdk {

/// Storage for the lists of one row or one call: a buffer inside the object, then blocks on the heap. Allocations stay
/// valid until clear(). Not thread-safe.
class Arena {
 public:
  Arena() noexcept {}  // leaves the buffer uninitialized
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;

  /// Returns `count` value-initialized elements.
  template <class T>
  std::span<T> make(std::size_t count) {
    const std::span<T> made = make_uninitialized<T>(count);
    std::uninitialized_value_construct_n(made.data(), count);
    return made;
  }

  /// Returns `count` elements that the caller must assign.
  template <class T>
  requires std::is_trivially_copyable_v<T> && std::is_trivially_destructible_v<T> std::span<T> make_uninitialized(
      std::size_t count) {
    static_assert(alignof(T) <= kAlignment);
    const std::size_t size = (count * sizeof(T) + kAlignment - 1) / kAlignment * kAlignment;
    if (size > static_cast<std::size_t>(end_ - next_)) [[unlikely]]
      add_block(size);
    T* const first = reinterpret_cast<T*>(next_);
    next_ += size;
    return {first, count};
  }

  /// Invalidates all allocations.
  void clear() noexcept {
    if (next_ == buffer_) return;
    next_ = buffer_;
    if (!blocks_.empty()) [[unlikely]]
      drop_blocks();
  }

 private:
  static constexpr std::size_t kAlignment = 8;
  static constexpr std::size_t kBufferBytes = 512;  // 32 texts
  static constexpr std::size_t kBlockBytes = std::size_t{16} << 10;

  [[gnu::cold, gnu::noinline]] void drop_blocks() noexcept {
    blocks_.clear();
    end_ = buffer_ + kBufferBytes;
  }

  [[gnu::cold, gnu::noinline]] void add_block(std::size_t size) {
    const std::size_t bytes = std::max(size, kBlockBytes);
    next_ = blocks_.emplace_back(new std::byte[bytes]).get();
    end_ = next_ + bytes;
  }

  alignas(kAlignment) std::byte buffer_[kBufferBytes];
  std::byte* next_ = buffer_;
  std::byte* end_ = buffer_ + kBufferBytes;
  std::vector<std::unique_ptr<std::byte[]>> blocks_;
};

}  // namespace kbase::sdk
