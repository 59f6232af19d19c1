// SPDX-License-Identifier: Apache-2.0
// Cost of acquire() in the memory rate limiter: latency without contention, throughput of several threads over a
// million clients, and bytes per client. Usage: rate_limiter_memory [RUNS]
#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <latch>
#include <string>
#include <thread>
#include <vector>

#include "adapters/memory/rate_limit_store.hpp"
#include "adapters/system/system_crypto.hpp"
#include "tests/bench/tool.hpp"

namespace kbase::bench {
namespace {

using memory::MemoryRateLimitStore;

constexpr model::Limits kPremium{300, 100'000};
constexpr std::uint32_t kClients = 1'000'000;
constexpr std::uint32_t kSequentialAcquires = 2'000'000;
constexpr std::uint32_t kTakesOfAThread = 1'000'000;
constexpr unsigned kThreads = 2;

/// Client ids are hashes, so consecutive numbers must not be neighbors.
model::ClientId make_client_id(std::uint32_t number) {
  const std::uint64_t spread = (number + 1) * 0x9E3779B97F4A7C15U;
  model::ClientId client_id;
  std::memcpy(client_id.data(), &spread, sizeof spread);
  std::memcpy(client_id.data() + sizeof spread, &number, sizeof number);
  return client_id;
}

void acquire(ports::RateLimitStore& store, ports::AcquireRequest& request) {
  ports::Call call;
  ports::Decision decision;
  const ports::AcquireRequest* const requests[] = {&request};
  ports::Decision* const decisions[] = {&decision};
  require(store.acquire(call, requests, decisions));
}

ports::AcquireRequest make_request(std::uint32_t number) {
  return {make_client_id(number), 1, ports::AcquireRequest::Mode::Charge, kPremium, {1}};
}

/// Nanoseconds of thread time for an uncontended acquire(), over a few clients in turn.
double measure_sequential(const ports::Clock& clock) {
  MemoryRateLimitStore store(clock);
  std::vector<ports::AcquireRequest> all_requests;
  for (std::uint32_t i = 0; i < 64; ++i) all_requests.push_back(make_request(i));
  const Stopwatch watch;
  for (std::uint32_t i = 0; i < kSequentialAcquires; ++i) acquire(store, all_requests[i % all_requests.size()]);
  return watch.seconds() / kSequentialAcquires * 1e9;
}

struct ConcurrentResults {
  double acquires_per_second = 0;  ///< of all threads, each by its own CPU time
  double bytes_per_client = 0;     ///< resident memory per client that made one request
  double held_bytes_per_client = 0;
};

/// Threads that acquire for a million known clients in random order.
ConcurrentResults measure_concurrent(const ports::Clock& clock) {
  const double before = resident_bytes();
  MemoryRateLimitStore store(clock, {.max_clients = 2 * kClients});
  for (std::uint32_t i = 0; i < kClients; ++i) {
    ports::AcquireRequest request = make_request(i);
    acquire(store, request);
  }
  ConcurrentResults results;
  results.bytes_per_client = (resident_bytes() - before) / kClients;
  results.held_bytes_per_client = static_cast<double>(store.stats().held_bytes) / kClients;

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
        ports::AcquireRequest request =
            make_request(static_cast<std::uint32_t>(std::uint64_t{state} * kClients >> 32U));
        acquire(store, request);
      }
      speed[thread] = kTakesOfAThread / watch.seconds();
    });
  for (std::thread& thread : threads) thread.join();
  for (const double rate : speed) results.acquires_per_second += rate;
  return results;
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

void run(int runs) {
  const system::SystemClock clock;
  std::vector<double> sequential;
  std::vector<double> concurrent;
  std::vector<double> bytes;
  std::vector<double> allocated;
  for (int i = 0; i < runs; ++i) {
    sequential.push_back(measure_sequential(clock));
    const ConcurrentResults results = measure_concurrent(clock);
    concurrent.push_back(results.acquires_per_second);
    if (i == 0) bytes.push_back(results.bytes_per_client);  // later runs reuse memory of the process
    allocated.push_back(results.held_bytes_per_client);
  }
  std::printf("sequential acquire             %8.0f ns\n", median(sequential));
  std::printf("%u threads, %u clients    %8.2f million acquires/s\n", kThreads, kClients, median(concurrent) / 1e6);
  std::printf("a client with one request      %8.1f bytes resident, %.1f allocated\n", median(bytes),
              median(allocated));
}

}  // namespace
}  // namespace kbase::bench

int main(int argc, char** argv) {
  kbase::bench::run(argc > 1 ? std::atoi(argv[1]) : 5);
  return 0;
}
