// SPDX-License-Identifier: Apache-2.0
#include "app/composition/hashing_rate_limit_store.hpp"

#include <algorithm>
#include <vector>

namespace kbase::composition {

model::Status HashingRateLimitStore::acquire(ports::Call& call, std::span<const ports::AcquireRequest* const> requests,
                                             std::span<ports::Decision* const> decisions) {
  std::vector<ports::AcquireRequest> hidden;
  std::vector<const ports::AcquireRequest*> pointers;
  hidden.reserve(requests.size());
  for (const ports::AcquireRequest* const request : requests)
    pointers.push_back(&hidden.emplace_back(sealed(*request)));
  return rate_limiter_->acquire(call, pointers, decisions);
}

ports::AcquireRequest HashingRateLimitStore::sealed(const ports::AcquireRequest& request) const {
  ports::AcquireRequest copy = request;
  copy.client_id = sealed("subject:", request.client_id);
  if (request.has_fallback_bucket()) copy.fallback_bucket = sealed("group:", request.fallback_bucket);
  return copy;
}

/// The kind separates the two hash domains from each other, and from the log's pseudonyms if the log has the same
/// secret.
model::ClientId HashingRateLimitStore::sealed(std::string_view kind, const model::ClientId& client_id) const {
  std::string message(kind);
  message.append(client_id.begin(), client_id.end());
  const auto code = seal_.of(message);
  model::ClientId hidden;
  std::copy_n(code.begin(), hidden.size(), hidden.begin());
  return hidden;
}

}  // namespace kbase::composition
