// SPDX-License-Identifier: Apache-2.0
// Throughput of the Redis rate limiter, to compare with redis-benchmark calling the same script for as many clients
// over as many connections. Usage: rate_limiter_redis URL [CONNECTIONS [THREADS [ACQUIRES]]]. The Redis must be used by
// nothing else. rate_limiter_redis --script prints the script, for redis-cli SCRIPT LOAD.
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

#include "adapters/redis/rate_limit_store.hpp"
#include "adapters/system/system_crypto.hpp"
#include "tests/bench/tool.hpp"

namespace kbase::bench {
namespace {

constexpr model::Limits kLimits{300, 100'000};
constexpr std::uint32_t kClients = 10'000;

struct Load {
  std::string url;
  std::size_t connections = 2;
  std::size_t threads = 8;
  std::uint32_t acquires = 200'000;
};

/// Acquires per second of `threads`, each of which makes its share one at a time.
double measure(const Load& load) {
  redis::Options options;
  options.url = load.url;
  options.connections = load.connections;
  const system::SystemClock clock;
  const auto rate_limiter = require(redis::RedisRateLimitStore::open(options, clock));
  std::atomic<std::uint32_t> next{0};
  const auto acquire_all = [&] {
    for (std::uint32_t number = next++; number < load.acquires; number = next++) {
      ports::AcquireRequest request;
      const std::uint32_t client_id = number * 2654435761U % kClients;
      for (std::size_t i = 0; i < sizeof client_id; ++i)
        request.client_id[i] = static_cast<std::uint8_t>(client_id >> (8 * i));
      request.limits = kLimits;
      ports::Decision decision;
      const ports::AcquireRequest* const requests[] = {&request};
      ports::Decision* const decisions[] = {&decision};
      ports::Call call;
      require(rate_limiter->acquire(call, requests, decisions));
    }
  };
  const auto start = std::chrono::steady_clock::now();
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < load.threads; ++i) threads.emplace_back(acquire_all);
  for (std::thread& thread : threads) thread.join();
  return load.acquires / std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

std::size_t parse_number(int count, char** arguments, int index, std::size_t otherwise) {
  return count > index ? std::strtoul(arguments[index], nullptr, 10) : otherwise;
}

}  // namespace
}  // namespace kbase::bench

int main(int count, char** arguments) {
  using namespace kbase::bench;
  if (count < 2) {
    std::fprintf(stderr, "usage: %s --script | URL [CONNECTIONS [THREADS [ACQUIRES]]]\n", arguments[0]);
    return 2;
  }
  if (std::string_view(arguments[1]) == "--script") {
    const std::string_view script = kbase::redis::AcquireScript::text();
    std::fwrite(script.data(), 1, script.size(), stdout);
    return 0;
  }
  Load load{arguments[1]};
  load.connections = parse_number(count, arguments, 2, load.connections);
  load.threads = parse_number(count, arguments, 3, load.threads);
  load.acquires = static_cast<std::uint32_t>(parse_number(count, arguments, 4, load.acquires));
  std::printf("%.0f\n", measure(load));
}
