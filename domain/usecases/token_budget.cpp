// SPDX-License-Identifier: Apache-2.0
#include "domain/usecases/token_budget.hpp"

#include <algorithm>
#include <string>

namespace kbase::usecases {
namespace {

/// Nobody waits for it any more, but a thread does.
constexpr std::chrono::seconds kSettleTime{1};

ports::Take take_of(const model::Subject& subject, std::uint32_t tokens, std::uint32_t per_day) {
  ports::Take take;
  take.subject = subject;
  take.cost = tokens;
  take.mode = ports::Take::Mode::ChargeExactly;
  take.limits.per_day = per_day;
  return take;
}

}  // namespace

TokenBudget::TokenBudget(const Parts& parts, std::uint32_t per_day)
    : parts_(parts), service_(subject_of(model::Subject{})), per_day_(per_day) {}

/// Tells the tokens of a client from its requests. The service, which makes none, is the subject of all zeros.
model::Subject TokenBudget::subject_of(const model::Subject& spender) const {
  std::string name = "tokens:";
  name.append(spender.begin(), spender.end());
  const auto hash = parts_.digest.sha256(name);
  model::Subject subject;
  std::copy_n(hash.begin(), subject.size(), subject.begin());
  return subject;
}

model::Result<TokenBudget::Outcome> TokenBudget::reserve(ports::Call& call, const ports::ExternalClient& client,
                                                         std::uint32_t tokens) {
  Reservation reserved;
  const std::array wanted = {take_of(subject_of(client.subject), tokens, client.tokens_per_day),
                             take_of(service_, tokens, per_day_)};
  for (const ports::Take& take : wanted) {
    if (take.limits.per_day == 0) continue;
    Reservation::Part& part = reserved.parts_[reserved.count_];
    part.take = take;
    const ports::Take* const takes[] = {&part.take};
    ports::Taken* const taken[] = {&part.taken};
    const auto asked = parts_.ledger.take(call, takes, taken);
    if (asked && part.taken.allowed) {
      ++reserved.count_;
      continue;
    }
    settle(reserved, 0);
    if (!asked) return asked.error();
    return Outcome(ports::TokensSpent{take.limits.per_day, part.taken.day.remaining, part.taken.day.reset});
  }
  return Outcome(reserved);
}

void TokenBudget::settle(const Reservation& reservation, std::uint32_t used) {
  ports::Call call;
  call.deadline = parts_.clock.steady() + kSettleTime;
  for (std::size_t i = 0; i < reservation.count_; ++i) {
    const Reservation::Part& part = reservation.parts_[i];
    // The ledger's own log and figures tell of a failure.
    [[maybe_unused]] const auto settled = parts_.ledger.settle(call, part.take, part.taken, used);
  }
}

}  // namespace kbase::usecases
