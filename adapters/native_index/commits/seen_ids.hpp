// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace kbase::native_index {

/// Set of ids that sometimes finds an id that was not inserted, in 8 to 16 bytes per id: a hash table of 32-bit hashes
/// with linear probing. Not thread-safe.
class SeenIds {
 public:
  /// Inserts the id. Returns true if it was inserted before, or if another id with the same hash was.
  bool insert(std::string_view id);

 private:
  bool insert(std::uint32_t hash);
  void grow();

  std::vector<std::uint32_t> slots_ = std::vector<std::uint32_t>(std::size_t{1} << 10);  // 0: free
  std::size_t used_ = 0;
};

}  // namespace kbase::native_index
