// SPDX-License-Identifier: Apache-2.0
#include <cstring>

#include "app/plugin_check/smoke_test.hpp"

namespace kbase::plugin_check {
namespace {

constexpr std::uint32_t kPerMinute = 1000;
constexpr std::uint32_t kPerDay = 100'000;

class RateLimitStoreSmokeTest final : public SmokeTest {
 public:
  RateLimitStoreSmokeTest(const kb_rate_limit_store_v1& table, kb_rate_limit_store* store)
      : table_(table), store_(store), run_(now_ns()) {}

  void write(Caller& caller, int tag) override { take(caller, tag, 3); }
  void read(Caller& caller, int tag) override { take(caller, tag, 0); }
  bool stop(Caller&) override { return false; }

 private:
  void take(Caller& caller, int tag, std::uint64_t cost) {
    Turn turn(caller, "take");
    Loans& lend = turn.lend();
    kb_take question{};
    question.cost = cost;
    question.per_minute = kPerMinute;
    question.per_day = kPerDay;
    std::memcpy(question.subject, &run_, sizeof run_);  // specific to this run: the store may be shared
    question.subject[15] = static_cast<std::uint8_t>(tag);
    const kb_take* const* takes = lend.array<const kb_take*>({lend.object(question)});
    kb_taken* const answer = lend.object(kb_taken{});
    kb_taken* const* taken = lend.array<kb_taken*>({answer});
    const kb_status status = table_.take(store_, turn.call(), takes, taken, 1);
    if (!turn.expect_ok(status, "take succeeds")) return;
    caller.expect(answer->allowed != 0, "a take below the limits is allowed", "it was denied");
    caller.expect(answer->minute_remaining == kPerMinute - 3 && answer->day_remaining == kPerDay - 3,
                  "after 3 of 1000 a minute and 100000 a day, 997 and 99997 remain",
                  std::to_string(answer->minute_remaining) + " and " + std::to_string(answer->day_remaining));
  }

  const kb_rate_limit_store_v1& table_;
  kb_rate_limit_store* store_;
  const std::uint64_t run_;
};

}  // namespace

std::unique_ptr<SmokeTest> smoke_test_of(const kb_rate_limit_store_v1& table, kb_rate_limit_store* store) {
  return std::make_unique<RateLimitStoreSmokeTest>(table, store);
}

}  // namespace kbase::plugin_check
