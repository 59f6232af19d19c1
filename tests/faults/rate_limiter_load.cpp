// SPDX-License-Identifier: Apache-2.0
// Load generator for a rate limiter behind its plugin: many threads log every acquire so that a kill loses no record.
// Usage: rate_limiter_load PLUGIN SETTINGS LOG THREADS ACQUIRES CLIENTS PER_MINUTE SEED SPEED
// With SPEED 0, the store uses its own clock, and the time of an acquire is between its call and its return.
// Otherwise the store gets a clock that runs SPEED times as fast as the machine's, and the time of an acquire is the
// time that the store read.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "adapters/system/system_crypto.hpp"
#include "app/plugin_host/host_table.hpp"
#include "app/plugin_host/plugin.hpp"
#include "tests/faults/decision_log.hpp"

namespace kbase::faults {
namespace {

using std::chrono::milliseconds;

/// Longest wait of an acquire. Much longer than a server's, so that a busy machine causes no failures.
constexpr milliseconds kTimeout{1000};

struct Options {
  const char* plugin;
  const char* settings;
  const char* log;
  unsigned threads;
  std::size_t requests;
  std::uint32_t clients;
  std::uint32_t per_minute;
  std::uint64_t seed;
  int speed;
};

class QuietLog final : public ports::EventLog {
 public:
  void log(ports::LogLevel, std::string_view, std::string_view, std::span<const ports::LogField>) override {}
};

/// Runs `speed` times as fast as the machine's clock, and remembers for each thread the last time it returned.
class FastClock final : public ports::Clock {
 public:
  explicit FastClock(int speed) : speed_(std::max(speed, 1)) {}

  model::Instant now() const override {
    last_returned = start_ + std::chrono::floor<milliseconds>((clock_.steady() - steady_start_) * speed_);
    return last_returned;
  }
  std::chrono::steady_clock::time_point steady() const override { return clock_.steady(); }

  static inline thread_local model::Instant last_returned;

 private:
  const system::SystemClock clock_;
  const model::Instant start_ = clock_.now();
  const std::chrono::steady_clock::time_point steady_start_ = clock_.steady();
  const int speed_;
};

std::int64_t to_milliseconds(model::Instant instant) { return instant.time_since_epoch().count(); }

model::ClientId make_client_id(std::uint32_t number) {
  model::ClientId client_id{'d'};
  std::memcpy(client_id.data() + 4, &number, sizeof number);
  return client_id;
}

void acquire_all(ports::RateLimitStore& store, const Options& options, std::span<DecisionRecord> records,
                 unsigned thread) {
  const system::SystemClock clock;
  std::mt19937_64 random(options.seed * 1000 + thread);
  for (DecisionRecord& record : records) {
    record.client_id = static_cast<std::uint32_t>(random() % options.clients) & 0xFFFFFFU;
    const std::int64_t called_at = to_milliseconds(clock.now());
    record.earliest_ms = options.speed != 0 ? to_milliseconds(FastClock::last_returned) : called_at;
    record.state = DecisionRecord::Called;
    const ports::AcquireRequest request{make_client_id(record.client_id),
                                        1,
                                        ports::AcquireRequest::Mode::Charge,
                                        {options.per_minute, 1'000'000'000},
                                        {}};
    ports::Decision decision;
    const ports::AcquireRequest* const requests[] = {&request};
    ports::Decision* const decisions[] = {&decision};
    ports::Call call;
    call.deadline = clock.steady() + kTimeout;
    const bool succeeded = store.acquire(call, requests, decisions).has_value();
    if (options.speed != 0)
      record.earliest_ms = to_milliseconds(FastClock::last_returned);
    else
      record.latest = static_cast<std::uint32_t>(std::max<std::int64_t>(0, to_milliseconds(clock.now()) - called_at));
    record.state = !succeeded         ? DecisionRecord::Failed
                   : decision.allowed ? DecisionRecord::Allowed
                                      : DecisionRecord::Denied;
  }
}

template <class T> T require(Result<T> result) {
  if (result) return *std::move(result);
  std::fprintf(stderr, "%s (%s)\n", result.error().message.c_str(), result.error().detail.c_str());
  std::exit(1);
}

void run(const Options& options) {
  const DecisionLog log(options.log, options.requests);
  const auto plugin = require(plugin_host::load_plugin(options.plugin, {}));
  const FastClock clock(options.speed);
  QuietLog quiet;
  const plugin_host::HostTable host(plugin, {clock, quiet});
  const auto store = require(plugin_host::open_port<ports::RateLimitStore>(plugin, host, options.settings));
  std::vector<std::thread> threads;
  for (unsigned thread = 0; thread < options.threads; ++thread) {
    const std::size_t first = options.requests * thread / options.threads;
    const std::size_t end = options.requests * (thread + 1) / options.threads;
    threads.emplace_back([&, thread, records = log.records().subspan(first, end - first)] {
      acquire_all(*store, options, records, thread);
    });
  }
  for (std::thread& thread : threads) thread.join();
}

}  // namespace
}  // namespace kbase::faults

int main(int argc, char** argv) {
  if (argc != 10) {
    std::fprintf(stderr,
                 "usage: rate_limiter_load PLUGIN SETTINGS LOG THREADS ACQUIRES CLIENTS PER_MINUTE SEED SPEED\n");
    return 2;
  }
  const auto number = [argv](int index) { return std::strtoull(argv[index], nullptr, 10); };
  kbase::faults::run({argv[1], argv[2], argv[3], static_cast<unsigned>(number(4)), number(5),
                      static_cast<std::uint32_t>(number(6)), static_cast<std::uint32_t>(number(7)), number(8),
                      static_cast<int>(number(9))});
  return 0;
}
