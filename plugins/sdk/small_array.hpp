// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <type_traits>
#include <vector>

namespace kbase::sdk {

/// An array whose size is set when it is used: up to `kFew` elements inline, which are not initialized before that,
/// more on the heap.
template <class T, std::size_t kFew>
requires std::is_trivially_copyable_v<T>
class SmallArray {
 public:
  SmallArray() noexcept {}  // leaves the elements uninitialized
  SmallArray(const SmallArray&) = delete;
  SmallArray& operator=(const SmallArray&) = delete;

  /// Returns `count` value-initialized elements, valid until the next call.
  std::span<T> of(std::size_t count) {
    if (count <= kFew) {
      std::uninitialized_value_construct_n(few_, count);
      return {few_, count};
    }
    many_.assign(count, T{});
    return many_;
  }

 private:
  union {
    T few_[kFew];
  };
  std::vector<T> many_;
};

}  // namespace kbase::sdk
