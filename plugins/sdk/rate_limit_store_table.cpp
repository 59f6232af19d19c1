// SPDX-License-Identifier: Apache-2.0
#include <limits>

#include "plugins/sdk/entry.hpp"
#include "plugins/sdk/small_array.hpp"
#include "plugins/sdk/table.hpp"

namespace kbase::sdk {
namespace {

/// Most calls have one request: servers batch only for networked stores.
constexpr std::size_t kFewTakes = 4;

constexpr std::uint64_t kMostCost = std::numeric_limits<std::uint32_t>::max();

model::Error too_much() {
  return {model::ErrorCode::Unsupported, "The rate limiter counts in 32 bits.", {}, {}, {}};
}

struct Question {
  ports::AcquireRequest take;
  ports::Decision taken;
};

ports::RateLimitStore& of(kb_rate_limit_store* store) noexcept {
  return port_of<ports::RateLimitStore>(store);
}

kb_status take(kb_rate_limit_store* store, kb_call* call, const kb_take* const* takes, kb_taken* const* taken,
               std::size_t count) noexcept {
  return guarded(call, [&](ports::Call& inner) {
    SmallArray<Question, kFewTakes> question_room;
    SmallArray<const ports::AcquireRequest*, kFewTakes> take_room;
    SmallArray<ports::Decision*, kFewTakes> taken_room;
    const auto questions = question_room.of(count);
    const auto asked = take_room.of(count);
    const auto answered = taken_room.of(count);
    for (std::size_t i = 0; i < count; ++i) {
      if (takes[i]->cost > kMostCost) return failed(call, too_much());
      Question& question = questions[i];
      question.take = take_of(*takes[i]);
      asked[i] = &question.take;
      answered[i] = &question.taken;
    }
    const model::Status status = of(store).acquire(inner, asked, answered);
    if (!status) return failed(call, status.error());
    for (std::size_t i = 0; i < count; ++i) give(questions[i].taken, *taken[i]);
    return KB_OK;
  });
}

kb_status settle(kb_rate_limit_store* store, kb_call* call, const kb_take* take, const kb_taken* taken,
                 std::uint64_t used) noexcept {
  return guarded(call, [&](ports::Call& inner) {
    if (take->cost > kMostCost || used > kMostCost) return failed(call, too_much());
    return ended(call, of(store).adjust(inner, take_of(*take), taken_of(*taken), static_cast<std::uint32_t>(used)));
  });
}

}  // namespace

constinit const kb_rate_limit_store_v1 InC<ports::RateLimitStore>::kCalls = {
    .struct_size = sizeof(kb_rate_limit_store_v1),
    .inline_calls = 0,
    .flags = 0,
    .capabilities = 0,
    .config_schema = nullptr,
    .create = nullptr,
    .destroy = destroy,
    .health = health<ports::RateLimitStore>,
    .take = take,
    .settle = settle,
};

}  // namespace kbase::sdk
