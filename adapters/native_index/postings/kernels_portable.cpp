// SPDX-License-Identifier: Apache-2.0
// Kernel table of processors for which there are no vector kernels.
#include "adapters/native_index/postings/kernels_plain.hpp"

namespace kbase::native_index {

const Kernels& kernels() {
  return plain::kKernels;
}

std::vector<const Kernels*> all_kernels() {
  return {&plain::kKernels};
}

}  // namespace kbase::native_index
