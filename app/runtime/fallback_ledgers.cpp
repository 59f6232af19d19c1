// SPDX-License-Identifier: Apache-2.0
#include "app/runtime/fallback_ledgers.hpp"

namespace kbase::runtime {

model::Error cannot_count(std::string cause) {
  return {model::ErrorCode::Unavailable,
          "Requests cannot be counted now; try again later.",
          std::move(cause),
          {},
          std::chrono::seconds(1)};
}

model::Status AllowingLedger::take(ports::Call&, std::span<const ports::Take* const> takes,
                                   std::span<ports::Taken* const> taken) {
  const model::Instant now = clock_.now();
  for (std::size_t i = 0; i < takes.size(); ++i) *taken[i] = ports::untouched(takes[i]->limits, now);
  return {};
}

model::Status DenyingLedger::take(ports::Call&, std::span<const ports::Take* const>, std::span<ports::Taken* const>) {
  return cannot_count("the ledger is away, and rate_limit.when_unavailable says deny");
}

}  // namespace kbase::runtime
