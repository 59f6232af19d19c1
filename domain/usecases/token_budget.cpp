// SPDX-License-Identifier: Apache-2.0
#include "domain/usecases/token_budget.hpp"

#include <algorithm>
#include <string>

namespace kbase::usecases {
namespace {

/// Deadline of the adjust calls; they block a thread although no client waits for the result.
constexpr std::chrono::seconds kSettleTime{1};

ports::AcquireRequest take_of(const model::ClientId& client_id, std::uint32_t tokens, std::uint32_t per_day) {
  ports::AcquireRequest request;
  request.client_id = client_id;
  request.cost = tokens;
  request.mode = ports::AcquireRequest::Mode::ChargeExactly;
  request.limits.per_day = per_day;
  return request;
}

}  // namespace

TokenBudget::TokenBudget(const Parts& parts, std::uint32_t per_day)
    : parts_(parts), service_(client_id_of(model::ClientId{})), per_day_(per_day) {}

/// Separates the token counts of a client from its request counts. The id of all zeros is the service's.
model::ClientId TokenBudget::client_id_of(const model::ClientId& spender) const {
  std::string name = "tokens:";
  name.append(spender.begin(), spender.end());
  const auto hash = parts_.digest.sha256(name);
  model::ClientId client_id;
  std::copy_n(hash.begin(), client_id.size(), client_id.begin());
  return client_id;
}

model::Result<TokenBudget::Outcome> TokenBudget::reserve(ports::Call& call, const ports::ExternalClient& client,
                                                         std::uint32_t tokens) {
  Reservation reserved;
  const std::array wanted = {take_of(client_id_of(client.client_id), tokens, client.tokens_per_day),
                             take_of(service_, tokens, per_day_)};
  for (const ports::AcquireRequest& request : wanted) {
    if (request.limits.per_day == 0) continue;
    Reservation::Part& part = reserved.parts_[reserved.count_];
    part.request = request;
    const ports::AcquireRequest* const requests[] = {&part.request};
    ports::Decision* const decisions[] = {&part.decision};
    const auto asked = parts_.rate_limiter.acquire(call, requests, decisions);
    if (asked && part.decision.allowed) {
      ++reserved.count_;
      continue;
    }
    adjust(reserved, 0);
    if (!asked) return asked.error();
    return Outcome(ports::TokensSpent{request.limits.per_day, part.decision.day.remaining, part.decision.day.reset});
  }
  return Outcome(reserved);
}

void TokenBudget::adjust(const Reservation& reservation, std::uint32_t used) {
  ports::Call call;
  call.deadline = parts_.clock.steady() + kSettleTime;
  for (std::size_t i = 0; i < reservation.count_; ++i) {
    const Reservation::Part& part = reservation.parts_[i];
    // The rate limiter logs and counts its failures itself.
    [[maybe_unused]] const auto settled = parts_.rate_limiter.adjust(call, part.request, part.decision, used);
  }
}

}  // namespace kbase::usecases
