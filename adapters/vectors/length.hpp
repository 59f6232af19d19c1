// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <numeric>
#include <span>

namespace kbase::vectors {

/// Gives the vector the length 1. Returns false and changes nothing if all its numbers are 0.
inline bool scale_to_length_1(std::span<float> vector) {
  const float length = std::sqrt(std::inner_product(vector.begin(), vector.end(), vector.begin(), 0.0F));
  if (length == 0) return false;
  for (float& value : vector) value /= length;
  return true;
}

}  // namespace kbase::vectors
