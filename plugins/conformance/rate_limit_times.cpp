// SPDX-License-Identifier: Apache-2.0
#include <array>

#include "plugins/conformance/rate_limit_checks.hpp"

namespace kbase::conformance {
namespace {

using model::Instant;
using namespace std::chrono;

constexpr Limits kOneAMinute{1, 0};
constexpr Limits kOneADay{0, 1};

void a_request_counts_for_60_seconds(RateLimitStoreFixture& fixture, Report& report) {
  RateLimiter rate_limiter(fixture, report);
  report.expect(rate_limiter.acquire(kAnna, kOneAMinute).allowed, "the first request is allowed");
  fixture.clock.advance(milliseconds(1));
  report.expect(!rate_limiter.acquire(kAnna, kOneAMinute).allowed, "after 1 ms the request counts");
  fixture.clock.advance(milliseconds(59'998));
  report.expect(!rate_limiter.acquire(kAnna, kOneAMinute).allowed, "after 59,999 ms the request counts");
  fixture.clock.advance(milliseconds(1));
  report.expect(rate_limiter.acquire(kAnna, kOneAMinute).allowed, "after 60,000 ms the request has left the window");
  fixture.clock.advance(milliseconds(59'999));
  report.expect(!rate_limiter.acquire(kAnna, kOneAMinute).allowed, "the next one counts for as long");
}

void a_burst_across_a_minute_is_one_burst(RateLimitStoreFixture& fixture, Report& report) {
  RateLimiter rate_limiter(fixture, report);
  const Limits limits{10, 1000};
  const Instant minute = std::chrono::ceil<minutes>(fixture.clock.now());
  fixture.clock.advance(minute + milliseconds(59'900) - fixture.clock.now());
  report.equal(rate_limiter.count_allowed(10, kAnna, limits), 10U, "a burst at 59.9 s is admitted");
  fixture.clock.advance(milliseconds(200));
  report.equal(rate_limiter.count_allowed(10, kAnna, limits), 0U, "at 60.1 s the burst of 59.9 s still counts");
  fixture.clock.advance(milliseconds(59'799));
  report.equal(rate_limiter.count_allowed(10, kAnna, limits), 0U,
               "in any 60 seconds there is never more than the limit");
  fixture.clock.advance(milliseconds(1));
  report.equal(rate_limiter.count_allowed(20, kAnna, limits), 10U, "60 seconds after the burst another one is allowed");
}

void requests_expire_one_by_one(RateLimitStoreFixture& fixture, Report& report) {
  RateLimiter rate_limiter(fixture, report);
  const Limits limits{3, 0};
  const Instant start = fixture.clock.now();
  for (int i = 0; i < 3; ++i) {
    report.expect(rate_limiter.acquire(kAnna, limits).allowed, "takes at 0, 10 and 20 s");
    fixture.clock.advance(seconds(10));
  }
  fixture.clock.advance(seconds(30));  // 60 s: the first request left the window
  Decision decision = rate_limiter.peek(kAnna, limits);
  report.equal(decision.minute.remaining, 1U, "at 60 s the request of 0 s has left");
  report.expect(decision.minute.reset == start + seconds(70), "the reset is when the oldest counted request leaves");
  fixture.clock.advance(seconds(5));
  decision = rate_limiter.acquire(kAnna, limits);
  report.expect(decision.allowed && decision.minute.remaining == 0, "its place can be taken");
  report.expect(!rate_limiter.acquire(kAnna, limits).allowed, "once");
  fixture.clock.advance(seconds(15));  // 80 s
  decision = rate_limiter.peek(kAnna, limits);
  report.equal(decision.minute.remaining, 2U, "at 80 s only the request of 65 s counts");
  report.expect(decision.minute.reset == start + seconds(125), "and its leaving is the reset");
  fixture.clock.advance(hours(1));
  report.equal(rate_limiter.peek(kAnna, limits).minute.remaining, 3U, "an idle window is empty");
}

void a_burst_expires_at_once(RateLimitStoreFixture& fixture, Report& report) {
  RateLimiter rate_limiter(fixture, report);
  const Limits limits{10, 0};
  report.equal(rate_limiter.count_allowed(7, kAnna, limits), 7U, "a burst of 7 within a millisecond");
  fixture.clock.advance(seconds(30));
  report.equal(rate_limiter.count_allowed(2, kAnna, limits), 2U, "2 more after 30 s");
  fixture.clock.advance(seconds(30));
  report.equal(rate_limiter.peek(kAnna, limits).minute.remaining, 8U, "at 60 s the 7 have left, the 2 still count");
  report.equal(rate_limiter.count_allowed(20, kAnna, limits), 8U, "and 8 more are allowed");
}

void an_empty_window_is_reset_in_a_minute_or_at_midnight(RateLimitStoreFixture& fixture, Report& report) {
  RateLimiter rate_limiter(fixture, report);
  const Limits limits{10, 1000};
  const Instant start = fixture.clock.now();
  const Instant midnight = model::next_midnight(start);
  const auto resets_are = [&](const Decision& decision, Instant minute, std::string_view rule,
                              SourceLine where = SourceLine::current()) {
    report.expect(decision.minute.reset == minute, rule, "the minute: " + model::format_instant(decision.minute.reset),
                  where);
    report.expect(decision.day.reset == midnight, "a day's reset is the next UTC midnight",
                  "the day: " + model::format_instant(decision.day.reset), where);
  };
  resets_are(rate_limiter.peek(kAnna, limits), start + seconds(60), "without a counted request: a minute from now");
  resets_are(rate_limiter.acquire(kAnna, limits, 0), start + seconds(60), "a cost of 0 is not counted");
  resets_are(rate_limiter.acquire(kAnna, limits), start + seconds(60), "with one counted now: a minute from now");
  fixture.clock.advance(seconds(20));
  resets_are(rate_limiter.acquire(kAnna, limits), start + seconds(60), "with one counted before: when that one leaves");
  fixture.clock.advance(seconds(100));
  resets_are(rate_limiter.peek(kAnna, limits), start + seconds(180), "when all have left: a minute from now");
}

void a_reset_does_not_go_back(RateLimitStoreFixture& fixture, Report& report) {
  RateLimiter rate_limiter(fixture, report);
  const Limits limits{5, 1000};
  Instant last_minute;
  Instant last_day;
  for (int i = 0; i < 200; ++i) {
    const Decision decision = i % 3 == 0 ? rate_limiter.peek(kAnna, limits) : rate_limiter.acquire(kAnna, limits);
    report.expect(decision.minute.reset >= last_minute && decision.day.reset >= last_day, "a reset does not go back");
    report.expect(decision.minute.reset > fixture.clock.now(), "a reset is ahead");
    report.expect(decision.minute.reset <= fixture.clock.now() + seconds(60), "by a minute at most");
    last_minute = decision.minute.reset;
    last_day = decision.day.reset;
    fixture.clock.advance(milliseconds(3'777));
  }
}

void a_day_ends_at_utc_midnight(RateLimitStoreFixture& fixture, Report& report) {
  RateLimiter rate_limiter(fixture, report);
  const std::array<sys_days, 7> last_days{sys_days(year(2026) / 3 / 14),   // an ordinary day
                                          sys_days(year(2026) / 4 / 30),   // the end of a month
                                          sys_days(year(2026) / 12 / 31),  // the end of a year
                                          sys_days(year(2027) / 2 / 28),   // the end of February
                                          sys_days(year(2028) / 2 / 28),   // the day before a leap day
                                          sys_days(year(2028) / 2 / 29),   // a leap day
                                          sys_days(year(2100) / 2 / 28)};  // not a leap year, although 4 divides it
  std::uint8_t number = 0;
  for (const sys_days day : last_days) {
    const ClientId client_id{4, number++};
    fixture.clock.set(day);
    report.expect(rate_limiter.acquire(client_id, kOneADay).allowed,
                  "the first millisecond of a day begins a new window");
    fixture.clock.set(day + days(1) - milliseconds(1));
    const Decision denied = rate_limiter.acquire(client_id, kOneADay);
    report.expect(!denied.allowed, "the last millisecond of a day is of that day");
    report.expect(denied.day.reset == day + days(1), "the day is reset at the next UTC midnight",
                  model::format_instant(denied.day.reset));
    fixture.clock.set(day + days(1));
    const Decision next = rate_limiter.acquire(client_id, kOneADay);
    report.expect(next.allowed, "at midnight the next day begins");
    report.expect(next.day.reset == day + days(2), "and ends at the following midnight");
  }
}

void a_new_day_does_not_reset_the_minute(RateLimitStoreFixture& fixture, Report& report) {
  RateLimiter rate_limiter(fixture, report);
  const Limits limits{2, 5};
  const Instant midnight = model::next_midnight(fixture.clock.now());
  fixture.clock.advance(midnight - seconds(30) - fixture.clock.now());
  rate_limiter.count_allowed(2, kAnna, limits);
  fixture.clock.advance(seconds(30));
  const Decision denied = rate_limiter.acquire(kAnna, limits);
  report.expect(!denied.allowed, "the requests before midnight count in the minute");
  report.equal(denied.day.remaining, 5U, "but not in the new day");
}

void a_clock_that_steps_back_frees_no_minute(RateLimitStoreFixture& fixture, Report& report) {
  RateLimiter rate_limiter(fixture, report);
  const auto step_back = [&](const ClientId& client_id, milliseconds step) {
    report.expect(rate_limiter.acquire(client_id, kOneAMinute).allowed, "a take is admitted");
    fixture.clock.set(fixture.clock.now() - step);
    report.expect(!rate_limiter.acquire(client_id, kOneAMinute).allowed,
                  "a clock that steps back keeps the newer window");
    fixture.clock.advance(seconds(30));
    report.expect(rate_limiter.peek(client_id, kOneAMinute).minute.reset <= fixture.clock.now() + seconds(60),
                  "after a step back the reset is a window ahead at most");
    fixture.clock.advance(std::min<milliseconds>(step, seconds(60)) + seconds(30));
    report.expect(rate_limiter.acquire(client_id, kOneAMinute).allowed, "but for no longer than one window");
  };
  step_back(kAnna, minutes(5));
  step_back(kBert, seconds(20));
  step_back(ClientId{3}, days(400));
}

void a_clock_that_steps_forward_frees_the_minute(RateLimitStoreFixture& fixture, Report& report) {
  RateLimiter rate_limiter(fixture, report);
  report.expect(rate_limiter.acquire(kAnna, kOneAMinute).allowed, "a take is admitted");
  fixture.clock.set(fixture.clock.now() + days(1));
  rate_limiter.peek(kAnna, kOneAMinute);
  fixture.clock.set(fixture.clock.now() - days(1));
  fixture.clock.advance(seconds(60));
  report.expect(rate_limiter.acquire(kAnna, kOneAMinute).allowed,
                "a step forth and back holds no window longer than 60 s");
}

void a_clock_that_steps_back_over_midnight_keeps_the_new_day(RateLimitStoreFixture& fixture, Report& report) {
  RateLimiter rate_limiter(fixture, report);
  const Instant midnight = model::next_midnight(fixture.clock.now());
  fixture.clock.set(midnight + minutes(2));
  report.expect(rate_limiter.acquire(kAnna, kOneADay).allowed, "a take is admitted after midnight");
  fixture.clock.set(midnight - minutes(3));
  report.expect(!rate_limiter.acquire(kAnna, kOneADay).allowed, "a clock that steps back keeps the newer window");
  fixture.clock.advance(minutes(4));
  report.expect(!rate_limiter.acquire(kAnna, kOneADay).allowed,
                "the new day began once: it never admits more than its limit");
  fixture.clock.advance(hours(24));
  report.expect(rate_limiter.acquire(kAnna, kOneADay).allowed, "the day after is free");
}

void a_clock_that_steps_back_by_hours_keeps_no_day_ahead(RateLimitStoreFixture& fixture, Report& report) {
  RateLimiter rate_limiter(fixture, report);
  const Instant midnight = model::next_midnight(fixture.clock.now());
  const Instant an_hour_before = midnight - hours(1);
  const auto reset_after_step = [&](const ClientId& client_id, Instant ahead, Instant back) {
    fixture.clock.set(ahead);
    report.expect(rate_limiter.acquire(client_id, kOneADay).allowed, "a take is admitted in a day ahead");
    fixture.clock.set(back);
    const Decision decision = rate_limiter.acquire(client_id, kOneADay);
    report.expect(!decision.allowed, "what was charged there counts after the step back");
    return decision.day.reset;
  };
  std::uint8_t number = 0;
  for (const milliseconds ahead : {milliseconds(0), milliseconds(hours(23)), milliseconds(days(30))}) {
    const ClientId client_id{5, number++};
    report.expect(reset_after_step(client_id, midnight + ahead, an_hour_before - milliseconds(1)) == midnight,
                  "what was charged in a day that begins in more than an hour counts as charged today");
    fixture.clock.set(midnight - milliseconds(1));
    report.expect(!rate_limiter.acquire(client_id, kOneADay).allowed, "today admits no more than its limit");
    fixture.clock.set(midnight);
    report.expect(rate_limiter.acquire(client_id, kOneADay).allowed, "at midnight the next day begins");
    report.expect(!rate_limiter.acquire(client_id, kOneADay).allowed, "and admits its limit once");
  }
  report.expect(reset_after_step(kAnna, midnight + hours(23), an_hour_before) == midnight + days(1),
                "a day that begins within an hour is kept");
  fixture.clock.set(midnight + days(1) - milliseconds(1));
  report.expect(!rate_limiter.acquire(kAnna, kOneADay).allowed, "it is one day, which admits its limit once");
  fixture.clock.set(midnight + days(1));
  report.expect(rate_limiter.acquire(kAnna, kOneADay).allowed, "until it is over");
}

}  // namespace

Suite<RateLimitStoreFixture> rate_limit_times() {
  return {
      {"ARequestCountsFor60Seconds", "", a_request_counts_for_60_seconds},
      {"ABurstAcrossAMinuteIsOneBurst", "", a_burst_across_a_minute_is_one_burst},
      {"RequestsExpireOneByOne", "kb_taken.minute_reset_ms", requests_expire_one_by_one},
      {"ABurstExpiresAtOnce", "", a_burst_expires_at_once},
      {"AnEmptyWindowIsResetInAMinuteOrAtMidnight", "kb_taken.minute_reset_ms",
       an_empty_window_is_reset_in_a_minute_or_at_midnight},
      {"AResetDoesNotGoBack", "kb_taken.minute_reset_ms", a_reset_does_not_go_back},
      {"ADayEndsAtUtcMidnight", "kb_taken.day_reset_ms", a_day_ends_at_utc_midnight},
      {"ANewDayDoesNotResetTheMinute", "kb_taken.day_reset_ms", a_new_day_does_not_reset_the_minute},
      {"AClockThatStepsBackFreesNoMinute", "", a_clock_that_steps_back_frees_no_minute},
      {"AClockThatStepsForwardFreesTheMinute", "", a_clock_that_steps_forward_frees_the_minute},
      {"AClockThatStepsBackOverMidnightKeepsTheNewDay", "", a_clock_that_steps_back_over_midnight_keeps_the_new_day},
      {"AClockThatStepsBackByHoursKeepsNoDayAhead", "", a_clock_that_steps_back_by_hours_keeps_no_day_ahead},
  };
}

}  // namespace kbase::conformance
