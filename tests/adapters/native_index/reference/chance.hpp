// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <random>

namespace kbase::tests {

/// Random choices that are equal for a seed on every machine, unlike the distributions of <random>.
class Chance {
 public:
  explicit Chance(std::uint64_t seed) : random_(seed) {}

  /// Returns 0 to `end` - 1.
  std::uint64_t below(std::uint64_t end) { return random_() % end; }
  std::uint64_t between(std::uint64_t least, std::uint64_t most) { return least + below(most - least + 1); }
  bool one_in(std::uint64_t many) { return below(many) == 0; }

  template <class List> auto& one_of(List&& list) { return list[below(list.size())]; }

 private:
  std::mt19937_64 random_;
};

}  // namespace kbase::tests
