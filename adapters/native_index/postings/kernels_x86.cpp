// SPDX-License-Identifier: Apache-2.0
// Selects the kernel table for an x86-64 processor.
#include "adapters/native_index/postings/kernels_x86.hpp"

#include "adapters/native_index/postings/kernels_plain.hpp"

namespace kbase::native_index {

std::vector<const Kernels*> all_kernels() {
  std::vector<const Kernels*> all{&plain::kKernels};
  const bool has_popcnt = __builtin_cpu_supports("popcnt") != 0;
  if (has_popcnt && __builtin_cpu_supports("sse4.2") != 0) all.push_back(&x86::kSse42);
  if (has_popcnt && __builtin_cpu_supports("avx2") != 0 && __builtin_cpu_supports("bmi") != 0 &&
      __builtin_cpu_supports("bmi2") != 0)
    all.push_back(&x86::kAvx2);
  return all;
}

const Kernels& kernels() {
  static const Kernels& best = *all_kernels().back();
  return best;
}

}  // namespace kbase::native_index
