// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <type_traits>
#include <vector>

namespace kbase::sdk {

/// An array whose size is known when it is needed: up to `kFew` elements in place, which costs nothing until then, more
/// on the heap.
template <class T, std::size_t kFew>
requires std::is_trivially_copyable_v<T>
class SmallArray {
 public:
  SmallArray() noexcept {}  // leaves the place as it is
  SmallArray(const SmallArray&) = delete;
  SmallArray& operator=(const SmallArray&) = delete;

  /// `count` elements, as T's default is. Valid until the next call.
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
