// SPDX-License-Identifier: Apache-2.0
#include "adapters/http/body_budget.hpp"

namespace kbase::http {

bool BodyBudget::Share::resize(std::size_t bytes) noexcept {
  if (bytes > bytes_) {
    const std::size_t more = bytes - bytes_;
    if (budget_.taken_.fetch_add(more, std::memory_order_relaxed) + more > budget_.limit_) {
      budget_.taken_.fetch_sub(more, std::memory_order_relaxed);
      return false;
    }
  } else if (bytes < bytes_) {
    budget_.taken_.fetch_sub(bytes_ - bytes, std::memory_order_relaxed);
  }
  bytes_ = bytes;
  return true;
}

}  // namespace kbase::http
