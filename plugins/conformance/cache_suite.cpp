// SPDX-License-Identifier: Apache-2.0
#include "plugins/conformance/suites.hpp"

#include <array>
#include <latch>
#include <optional>
#include <thread>

namespace kbase::conformance {
namespace {
using ports::Cache;
using ports::Call;
using std::chrono::hours;
using std::chrono::milliseconds;

/// Returns the value that get() passes to its visitor; nullopt: a miss. Reports a violation if result and visits
/// disagree.
std::optional<std::string> get(Cache& cache, std::string_view key, Report& report,
                               SourceLine where = SourceLine::current()) {
  Call call;
  std::optional<std::string> value;
  int visits = 0;
  const auto hit = cache.get(call, key, [&](std::string_view found) {
    value = found;
    ++visits;
    return Visit::Continue;
  });
  if (!report.ok(hit, "get succeeds", where)) return std::nullopt;
  report.equal(visits, *hit ? 1 : 0, "get visits at a hit, once, and not at a miss", where);
  return value;
}

void put(Cache& cache, std::string_view key, std::string_view value, Report& report, milliseconds time = hours(1),
         SourceLine where = SourceLine::current()) {
  Call call;
  report.ok(cache.put(call, key, value, time), "put succeeds", where);
}

/// Reports a violation if the key has a value other than `wanted`; a miss is always allowed. Returns whether it was a
/// hit.
bool is_value_or_miss(Cache& cache, std::string_view key, std::string_view wanted, std::string_view rule,
                      Report& report, SourceLine where = SourceLine::current()) {
  const auto value = get(cache, key, report, where);
  if (value) report.expect(*value == wanted, rule, std::to_string(value->size()) + " other bytes", where);
  return value.has_value();
}

void returns_what_was_put_or_misses(CacheFixture& fixture, Report& report) {
  Cache& cache = fixture.port();
  report.expect(!get(cache, "never put", report), "a key that was never put is a miss");
  put(cache, "a", "the value of a", report);
  put(cache, "b", "the value of b", report);
  const bool a = is_value_or_miss(cache, "a", "the value of a", "each key has its own value", report);
  const bool b = is_value_or_miss(cache, "b", "the value of b", "each key has its own value", report);
  Call call;
  report.ok(cache.health(call), "a cache that works is healthy");
  if (!a && !b) report.skip("every get was a miss: legal, but of no use");
}

void an_overwritten_value_is_gone(CacheFixture& fixture, Report& report) {
  for (const std::string_view value : {"first", "second, which is longer", "3rd", "", "last"}) {
    put(fixture.port(), "a", value, report);
    is_value_or_miss(fixture.port(), "a", value, "after a put the value before it is gone", report);
  }
  const std::string large(8U << 20U, 'x');
  put(fixture.port(), "a", large, report);
  is_value_or_miss(fixture.port(), "a", large, "also where the new value is too large to be kept", report);
}

void an_erased_value_is_gone(CacheFixture& fixture, Report& report) {
  Call call;
  report.ok(fixture.port().erase(call, "never put"), "erasing a key that was never put is not an error");
  put(fixture.port(), "a", "a", report);
  put(fixture.port(), "b", "b", report);
  report.ok(fixture.port().erase(call, "a"), "erase succeeds");
  report.expect(!get(fixture.port(), "a", report), "an erased key is a miss");
  is_value_or_miss(fixture.port(), "b", "b", "erasing a key keeps the others", report);
  put(fixture.port(), "a", "again", report);
  is_value_or_miss(fixture.port(), "a", "again", "an erased key can be put again", report);
}

void a_value_expires(CacheFixture& fixture, Report& report) {
  Cache& cache = fixture.port();
  put(cache, "a", "a", report, milliseconds(1000));
  put(cache, "b", "b", report, milliseconds(2000));
  fixture.clock.advance(milliseconds(999));
  is_value_or_miss(cache, "a", "a", "a value lives for its time", report);
  fixture.clock.advance(milliseconds(1));
  report.expect(!get(cache, "a", report), "a value that has lived for its time is a miss");
  is_value_or_miss(cache, "b", "b", "each value has its own time", report);
  put(cache, "b", "again", report, milliseconds(5000));
  fixture.clock.advance(milliseconds(4999));
  is_value_or_miss(cache, "b", "again", "a new put begins a new time", report);
  put(cache, "b", "shorter", report, milliseconds(1));
  fixture.clock.advance(milliseconds(1));
  report.expect(!get(cache, "b", report), "also where the new time ends before the old one");
  put(cache, "c", "c", report, milliseconds::max());
  fixture.clock.advance(hours(1));
  is_value_or_miss(cache, "c", "c", "any length of time may be asked for", report);
}

void a_wall_clock_set_back_revives_nothing(CacheFixture& fixture, Report& report) {
  put(fixture.port(), "a", "a", report, milliseconds(1000));
  fixture.clock.advance(milliseconds(1000));
  report.expect(!get(fixture.port(), "a", report), "a value that has lived for its time is a miss");
  fixture.clock.set(fixture.clock.now() - hours(1));
  report.expect(!get(fixture.port(), "a", report), "an expired value stays expired");
}

void keys_and_values_are_bytes(CacheFixture& fixture, Report& report) {
  std::string all;
  for (int byte = 0; byte < 256; ++byte) all += static_cast<char>(byte);
  const std::array<std::string, 9> keys{
      all, all + '\0', std::string(1, '\0'), std::string(2, '\0'), "a:b", std::string(512, 'k'), "a\r\nb", "a b", "*"};
  for (const std::string& key : keys) put(fixture.port(), key, all + key, report);
  for (const std::string& key : keys)
    is_value_or_miss(fixture.port(), key, all + key, "keys and values are any bytes", report);
  report.expect(!get(fixture.port(), std::string(3, '\0'), report), "keys that differ in a NUL are different");
  std::string key = "a key", value = "a value";
  put(fixture.port(), key, value, report);
  key = value = "########";
  is_value_or_miss(fixture.port(), "a key", "a value", "put copies its arguments before it returns", report);
}

void returns_values_of_every_size(CacheFixture& fixture, Report& report) {
  std::string value;
  for (std::size_t i = 0; i < (1U << 20U); ++i) value += static_cast<char>(i * 131 >> 3U);
  for (const std::size_t bytes : {0U, 1U, 4095U, 4096U, 65536U, 1U << 20U}) {
    const std::string_view part = std::string_view(value).substr(0, bytes);
    put(fixture.port(), "a", part, report);
    is_value_or_miss(fixture.port(), "a", part, "a value comes back whole, up to 1 MiB and more", report);
  }
}

void a_full_cache_evicts_but_is_never_wrong(CacheFixture& fixture, Report& report) {
  const std::string body(16U << 10U, 'v');
  for (int i = 0; i < 10'000; ++i) put(fixture.port(), std::to_string(i), std::to_string(i) + body, report);
  for (int i = 0; i < 10'000; ++i)
    is_value_or_miss(fixture.port(), std::to_string(i), std::to_string(i) + body, "a hit has its own value", report);
}

/// Returns a value that can be validated: it is derived from the key and from a generation, which it contains.
std::string proving(std::string_view key, std::uint32_t generation) {
  const std::string mark = std::string(key) + '#' + std::to_string(generation) + ';';
  std::string value;
  for (std::uint32_t i = 0; i < 20 + generation * 7919 % 200; ++i) value += mark;
  return value;
}

bool proves_itself(std::string_view key, std::string_view value) {
  const std::size_t number = key.size() + 1;
  if (value.size() <= number) return false;
  std::uint32_t generation = 0;
  for (const char digit : value.substr(number, value.find(';') - number))
    generation = generation * 10 + static_cast<std::uint32_t>(digit - '0');
  return value == proving(key, generation);
}

void racing_threads_see_whole_values(CacheFixture& fixture, Report& report) {
  const std::array<std::string, 4> keys{"a", "b", "c", "d"};
  Cache& cache = fixture.port();
  std::array<std::string, 8> complaints;
  std::latch start(8);
  std::vector<std::thread> threads;
  for (std::uint32_t thread = 0; thread < complaints.size(); ++thread)
    threads.emplace_back([&, thread] {
      start.arrive_and_wait();
      for (std::uint32_t i = 0; i < 5000; ++i) {
        Call call;
        const std::string& key = keys[(i + thread) % keys.size()];
        const auto prove = [&](std::string_view value) {
          if (!proves_itself(key, value))
            complaints[thread] = "key " + key + " had " + std::string(value.substr(0, 40));
          return Visit::Continue;
        };
        if (i % 4 == thread % 4 && !cache.put(call, key, proving(key, i * 8 + thread), hours(1)))
          complaints[thread] = "put failed";
        if (i % 64 == thread && !cache.erase(call, key)) complaints[thread] = "erase failed";
        if (!cache.get(call, key, prove)) complaints[thread] = "get failed";
      }
    });
  for (std::thread& thread : threads) thread.join();
  for (const std::string& complaint : complaints)
    report.expect(complaint.empty(), "however many threads put, a value is never torn nor another key's", complaint);
}

}  // namespace

Suite<CacheFixture> cache_suite() {
  return {
      {"ReturnsWhatWasPutOrMisses", "get", returns_what_was_put_or_misses},
      {"AnOverwrittenValueIsGone", "put", an_overwritten_value_is_gone},
      {"AnErasedValueIsGone", "erase", an_erased_value_is_gone},
      {"AValueExpires", "put", a_value_expires},
      {"AWallClockSetBackRevivesNothing", "put", a_wall_clock_set_back_revives_nothing},
      {"KeysAndValuesAreBytes", "", keys_and_values_are_bytes},
      {"ReturnsValuesOfEverySize", "", returns_values_of_every_size},
      {"AFullCacheEvictsButIsNeverWrong", "put", a_full_cache_evicts_but_is_never_wrong},
      {"RacingThreadsSeeWholeValues", "", racing_threads_see_whole_values},
  };
}

}  // namespace kbase::conformance
