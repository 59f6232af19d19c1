// SPDX-License-Identifier: Apache-2.0
// Latency of storing and reading cache values of several sizes in Redis: medians of one caller, in microseconds.
// Usage: cache_redis URL. The Redis must be used by nothing else.
#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <string>
#include <vector>

#include "adapters/redis/cache.hpp"
#include "adapters/system/system_crypto.hpp"
#include "tests/bench/tool.hpp"

namespace kbase::bench {
namespace {

constexpr std::array<std::size_t, 4> kSizes = {1U << 10U, 8U << 10U, 64U << 10U, 1U << 20U};
constexpr int kKeys = 500;

template <class Step> double median_of(Step step) {
  std::vector<double> microseconds;
  for (int i = 0; i < kKeys; ++i) {
    const std::string key = "answer " + std::to_string(i);
    const auto start = std::chrono::steady_clock::now();
    step(key);
    microseconds.push_back(std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - start).count());
  }
  std::nth_element(microseconds.begin(), microseconds.begin() + kKeys / 2, microseconds.end());
  return microseconds[kKeys / 2];
}

void measure(const std::string& url) {
  redis::KeyspaceOptions options;
  options.url = url;
  const system::SystemClock clock;
  const auto cache = require(redis::RedisCache::open(options, clock));
  std::printf("%10s %10s %10s\n", "bytes", "put, us", "get, us");
  for (const std::size_t size : kSizes) {
    const std::string value(size, 'v');
    ports::Call call;
    const double put =
        median_of([&](const std::string& key) { require(cache->put(call, key, value, std::chrono::minutes(10))); });
    const double get = median_of([&](const std::string& key) {
      require(cache->get(call, key, [](std::string_view) { return Visit::Continue; }));
    });
    std::printf("%10zu %10.0f %10.0f\n", size, put, get);
  }
}

}  // namespace
}  // namespace kbase::bench

int main(int count, char** arguments) {
  if (count != 2) {
    std::fprintf(stderr, "usage: %s URL\n", arguments[0]);
    return 2;
  }
  kbase::bench::measure(arguments[1]);
}
