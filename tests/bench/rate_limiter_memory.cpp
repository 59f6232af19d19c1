// SPDX-License-Identifier: Apache-2.0
// Cost of acquire() in the memory rate limiter: latency without contention, throughput of several threads over a
// million clients, and bytes per client. Usage: rate_limiter_memory [RUNS]
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <latch>
#include <string>
#include <thread>
#include <vector>

#include "adapters/memory/rate_limit_store.hpp"
#include "adapters/system/system_clock.hpp"
#include "tests/bench/tool.hpp"

namespace kbase::bench {
namespace {

using memory::MemoryRateLimitStore;

constexpr model::Limits kPremium{300, 100'000};
constexpr std::uint32_t kClients = 1'000'000;
constexpr std::uint32_t kTakesAlone = 2'000'000;
constexpr std::uint32_t kTakesOfAThread = 1'000'000;
constexpr unsigned kThreads = 2;

/// Client ids are hashes, so consecutive numbers must not be neighbors.
model::ClientId numbered(std::uint32_t number) {
  const std::uint64_t spread = (number + 1) * 0x9E3779B97F4A7C15U;
  model::ClientId client_id;
  std::memcpy(client_id.data(), &spread, sizeof spread);
  std::memcpy(client_id.data() + sizeof spread, &number, sizeof number);
  return client_id;
}

void take(ports::RateLimitStore& store, ports::AcquireRequest& question) {
  ports::Call call;
  ports::Decision answer;
  const ports::AcquireRequest* const takes[] = {&question};
  ports::Decision* const taken[] = {&answer};
  require(store.acquire(call, takes, taken));
}

ports::AcquireRequest question_of(std::uint32_t number) {
  return {numbered(number), 1, ports::AcquireRequest::Mode::Charge, kPremium, {1}};
}

double resident_bytes() {
  std::ifstream file("/proc/self/statm");
  double total = 0;
  double resident = 0;
  file >> total >> resident;
  return resident * static_cast<double>(::sysconf(_SC_PAGESIZE));
}

/// Nanoseconds of thread time for an uncontended acquire(), over a few clients in turn.
double nanoseconds_alone(const ports::Clock& clock) {
  MemoryRateLimitStore store(clock);
  std::vector<ports::AcquireRequest> questions;
  for (std::uint32_t i = 0; i < 64; ++i) questions.push_back(question_of(i));
  const Stopwatch watch;
  for (std::uint32_t i = 0; i < kTakesAlone; ++i) take(store, questions[i % questions.size()]);
  return watch.seconds() / kTakesAlone * 1e9;
}

struct Crowd {
  double takes_per_second = 0;   ///< of all threads, each by its own CPU time
  double bytes_per_subject = 0;  ///< resident memory per client that made one request
  double held_bytes_per_subject = 0;
};

/// Threads that acquire for a million known clients in random order.
Crowd crowd(const ports::Clock& clock) {
  const double before = resident_bytes();
  MemoryRateLimitStore store(clock, {.max_clients = 2 * kClients});
  for (std::uint32_t i = 0; i < kClients; ++i) {
    ports::AcquireRequest question = question_of(i);
    take(store, question);
  }
  Crowd seen;
  seen.bytes_per_subject = (resident_bytes() - before) / kClients;
  seen.held_bytes_per_subject = static_cast<double>(store.stats().held_bytes) / kClients;

  std::latch start(kThreads);
  std::array<double, kThreads> speed{};
  std::vector<std::thread> threads;
  for (unsigned thread = 0; thread < kThreads; ++thread)
    threads.emplace_back([&store, &start, &speed, thread] {
      start.arrive_and_wait();
      const Stopwatch watch;
      std::uint32_t state = thread + 1;  // linear congruential generator: Knuth, TAOCP 2, 3.3.4, line 26
      for (std::uint32_t i = 0; i < kTakesOfAThread; ++i) {
        state = state * 1664525U + 1013904223U;
        ports::AcquireRequest question =
            question_of(static_cast<std::uint32_t>(std::uint64_t{state} * kClients >> 32U));
        take(store, question);
      }
      speed[thread] = kTakesOfAThread / watch.seconds();
    });
  for (std::thread& thread : threads) thread.join();
  for (const double of_one : speed) seen.takes_per_second += of_one;
  return seen;
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

void run(int runs) {
  const system::SystemClock clock;
  std::vector<double> alone;
  std::vector<double> together;
  std::vector<double> bytes;
  std::vector<double> held;
  for (int i = 0; i < runs; ++i) {
    alone.push_back(nanoseconds_alone(clock));
    const Crowd seen = crowd(clock);
    together.push_back(seen.takes_per_second);
    if (i == 0) bytes.push_back(seen.bytes_per_subject);  // later runs reuse memory of the process
    held.push_back(seen.held_bytes_per_subject);
  }
  std::printf("a take alone                   %8.0f ns\n", median(alone));
  std::printf("%u threads, %u subjects   %8.2f million takes/s\n", kThreads, kClients, median(together) / 1e6);
  std::printf("a subject with one request     %8.1f bytes resident, %.1f held\n", median(bytes), median(held));
}

}  // namespace
}  // namespace kbase::bench

int main(int argc, char** argv) {
  kbase::bench::run(argc > 1 ? std::atoi(argv[1]) : 5);
  return 0;
}
