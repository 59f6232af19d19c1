// SPDX-License-Identifier: Apache-2.0
#include "app/plugin_host/rate_limit_store_proxy.hpp"

#include <utility>

#include "app/plugin_host/lent_instants.hpp"
#include "plugins/sdk/small_array.hpp"

namespace kbase::plugin_host {
namespace {

constexpr std::size_t kFew = 4;

bool is_window(std::uint32_t limit, std::uint64_t remaining, std::int64_t reset_ms) {
  return limit == 0 || (remaining <= limit && is_calendar_instant(reset_ms));
}

bool is_account(const ports::AcquireRequest& take, std::uint32_t account) {
  return account == KB_ACCOUNT_OWN || (account == KB_ACCOUNT_SHARED && take.has_fallback_bucket());
}

/// Returns the violation in a decision; null: it is valid.
const char* fault_of(const ports::AcquireRequest& take, const kb_taken& taken) {
  if (!is_window(take.limits.per_minute, taken.minute_remaining, taken.minute_reset_ms) ||
      !is_window(take.limits.per_day, taken.day_remaining, taken.day_reset_ms))
    return "answered with a window that can't be";
  if (!is_account(take, taken.account)) return "charged an account that the take did not name";
  return nullptr;
}

/// Converts a decision; clears windows without a limit, whose values are undefined.
ports::Decision answer_of(const ports::AcquireRequest& take, const kb_taken& given) {
  ports::Decision taken = sdk::taken_of(given);
  if (take.limits.per_minute == 0) taken.minute = {};
  if (take.limits.per_day == 0) taken.day = {};
  return taken;
}

}  // namespace

RateLimitStoreProxy::RateLimitStoreProxy(std::unique_ptr<RateLimitStoreInstance> instance)
    : instance_(std::move(instance)), table_(instance_->table()), store_(instance_->object()) {}

ports::RateLimitStore::Capabilities RateLimitStoreProxy::capabilities() const {
  return {.inline_calls = instance_->runs_inline(KB_RATE_LIMIT_INLINE_TAKE),
          .shared = instance_->can(KB_RATE_LIMIT_CAN_SHARE)};
}

model::Status RateLimitStoreProxy::acquire(ports::Call& call, std::span<const ports::AcquireRequest* const> takes,
                                           std::span<ports::Decision* const> taken) {
  sdk::SmallArray<kb_take, kFew> take_room;
  sdk::SmallArray<kb_taken, kFew> taken_room;
  sdk::SmallArray<const kb_take*, kFew> take_pointer_room;
  sdk::SmallArray<kb_taken*, kFew> taken_pointer_room;
  const auto lent = take_room.of(takes.size());
  const auto given = taken_room.of(takes.size());
  const auto lent_pointers = take_pointer_room.of(takes.size());
  const auto given_pointers = taken_pointer_room.of(takes.size());
  for (std::size_t i = 0; i < takes.size(); ++i) {
    lent[i] = sdk::take_of(*takes[i]);
    given[i] = sdk::sized<kb_taken>();
    lent_pointers[i] = &lent[i];
    given_pointers[i] = &given[i];
  }

  CallFrame frame = instance_->frame("rate_limit_store.take", call);
  const kb_status status =
      frame.run(table_.take, store_, frame.call(), lent_pointers.data(), given_pointers.data(), takes.size());
  for (std::size_t i = 0; status == KB_OK && i < takes.size(); ++i) {
    if (const char* const fault = fault_of(*takes[i], given[i])) frame.report_violation(fault);
    *taken[i] = answer_of(*takes[i], given[i]);
  }
  return frame.done(status);
}

/// The function is optional.
model::Status RateLimitStoreProxy::adjust(ports::Call& call, const ports::AcquireRequest& take,
                                          const ports::Decision& taken, std::uint32_t used) {
  if (!KB_HAS(&table_, settle) || table_.settle == nullptr)
    return model::Error{
        model::ErrorCode::Unsupported, "the plugin that counts requests settles no estimates", {}, {}, {}};
  const kb_take asked = sdk::take_of(take);
  auto answered = sdk::sized<kb_taken>();
  sdk::give(taken, answered);
  CallFrame frame = instance_->frame("rate_limit_store.settle", call);
  return frame.done(frame.run(table_.settle, store_, frame.call(), &asked, &answered, std::uint64_t{used}));
}

}  // namespace kbase::plugin_host
