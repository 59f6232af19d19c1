// SPDX-License-Identifier: Apache-2.0
// Throughput of the Redis rate limiter, to compare with redis-benchmark calling the same script for as many clients
// over as many connections. Usage: rate_limiter_redis URL [CONNECTIONS [THREADS [TAKES]]]. The Redis must be used by
// nothing else. rate_limiter_redis --script prints the script, for redis-cli SCRIPT LOAD.
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

#include "adapters/redis/rate_limit_store.hpp"
#include "adapters/system/system_clock.hpp"
#include "tests/bench/tool.hpp"

namespace kbase::bench {
namespace {

constexpr model::Limits kLimits{300, 100'000};
constexpr std::uint32_t kClients = 10'000;

struct Load {
  std::string url;
  std::size_t connections = 2;
  std::size_t threads = 8;
  std::uint32_t takes = 200'000;
};

/// Acquires per second of `threads`, each of which makes its share one at a time.
double measure(const Load& load) {
  redis::Options options;
  options.url = load.url;
  options.connections = load.connections;
  const system::SystemClock clock;
  const auto rate_limiter = require(redis::RedisRateLimitStore::open(options, clock));
  std::atomic<std::uint32_t> next{0};
  const auto take_all = [&] {
    for (std::uint32_t number = next++; number < load.takes; number = next++) {
      ports::AcquireRequest question;
      const std::uint32_t client_id = number * 2654435761U % kClients;
      for (std::size_t i = 0; i < sizeof client_id; ++i)
        question.client_id[i] = static_cast<std::uint8_t>(client_id >> (8 * i));
      question.limits = kLimits;
      ports::Decision answer;
      const ports::AcquireRequest* const takes[] = {&question};
      ports::Decision* const taken[] = {&answer};
      ports::Call call;
      require(rate_limiter->acquire(call, takes, taken));
    }
  };
  const auto start = std::chrono::steady_clock::now();
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < load.threads; ++i) threads.emplace_back(take_all);
  for (std::thread& thread : threads) thread.join();
  return load.takes / std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

std::size_t number_of(int count, char** arguments, int index, std::size_t otherwise) {
  return count > index ? std::strtoul(arguments[index], nullptr, 10) : otherwise;
}

}  // namespace
}  // namespace kbase::bench

int main(int count, char** arguments) {
  using namespace kbase::bench;
  if (count < 2) {
    std::fprintf(stderr, "usage: %s --script | URL [CONNECTIONS [THREADS [TAKES]]]\n", arguments[0]);
    return 2;
  }
  if (std::string_view(arguments[1]) == "--script") {
    const std::string_view script = kbase::redis::AcquireScript::text();
    std::fwrite(script.data(), 1, script.size(), stdout);
    return 0;
  }
  Load load{arguments[1]};
  load.connections = number_of(count, arguments, 2, load.connections);
  load.threads = number_of(count, arguments, 3, load.threads);
  load.takes = static_cast<std::uint32_t>(number_of(count, arguments, 4, load.takes));
  std::printf("%.0f\n", measure(load));
}
