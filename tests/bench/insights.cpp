// SPDX-License-Identifier: Apache-2.0
// Cost of insights for a search, and the memory of the collector. Usage: insights [RUNS]
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "adapters/system/system_crypto.hpp"
#include "app/runtime/insight_collector.hpp"
#include "tests/bench/tool.hpp"

namespace kbase::bench {
namespace {

constexpr std::uint32_t kSearches = 4'000'000;
constexpr std::uint32_t kClients = 100'000;
constexpr std::uint32_t kBatch = 200;
constexpr std::uint32_t kStoreEvery = 100'000;

/// Discards what it is given, so that only the collector's memory counts.
class NullStore final : public ports::InsightStore {
 public:
  Status add_queries(ports::Call&, std::span<const model::QueryCount> counts) override {
    rows += counts.size();
    return {};
  }
  Status queries(ports::Call&, model::Day, model::Day, Visitor<model::QueryCount>) override { return {}; }
  Status put_feedback(ports::Call&, const model::Feedback&) override { return {}; }
  Status feedback(ports::Call&, model::Day, model::Day, Visitor<model::Feedback>) override { return {}; }
  Status forget(ports::Call&, model::Day, model::Day) override { return {}; }

  std::size_t rows = 0;
};

/// Each known query is asked in inverse proportion to its rank, as in logs of search engines.
struct Workload {
  const char* name;
  double share_of_new;  ///< of the searches, those whose query was never asked before
  std::uint32_t queries = 20'000;
  std::uint32_t min_clients = 3;
};

constexpr Workload kWorkloads[] = {
    {"20,000 queries", 0},
    {"three in ten are new", 0.3},
    {"all are new", 1},
    {"all are new, min_clients 1", 1, 1, 1},
};

struct Result {
  double mean_ns = 0;      ///< thread time of a search, with the share of store()
  double peak_bytes = 0;   ///< growth of the resident memory
  std::size_t stored = 0;  ///< rows that the store was given
};

Result measure(const Workload& workload, std::uint32_t seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> uniform(0, 1);
  std::vector<std::string> texts(kBatch);
  std::vector<model::ClientId> clients(kBatch);
  const system::SystemClock clock;
  const system::OpensslDigest digest;
  const system::HmacSignatures signatures("secret");
  NullStore store;
  const double before = resident_bytes();
  double peak = before;
  runtime::InsightCollector collector(
      {store, digest, signatures, clock, [](std::string_view text) { return std::string(text); }},
      {.min_clients = workload.min_clients}, seed, {});
  double seconds = 0;
  ports::Call call;
  for (std::uint32_t first = 0; first < kSearches; first += kBatch) {
    // Request and client are in the processor's cache when a server notes a search, so a batch is small.
    for (std::uint32_t i = 0; i < kBatch; ++i) {
      const std::uint32_t number = first + i;
      const double rank = std::pow(static_cast<double>(workload.queries), uniform(random));
      const bool is_new = uniform(random) < workload.share_of_new;
      texts[i] = (is_new ? "how to reset the account " : "reset password of user ") +
                 std::to_string(is_new ? number : static_cast<std::uint32_t>(rank));
      const std::uint64_t client = number * 0x9E3779B97F4A7C15U % kClients;
      std::memcpy(clients[i].data(), &client, sizeof client);
    }
    const Stopwatch watch;
    for (std::uint32_t i = 0; i < kBatch; ++i) {
      const std::string normalized = collector.normalize(texts[i]);
      collector.record_search(clients[i], normalized, true);
      if (collector.search_id(normalized).empty()) std::abort();
    }
    if (first % kStoreEvery == 0) require(collector.store(call));
    seconds += watch.seconds();
    if (first % kStoreEvery == 0) peak = std::max(peak, resident_bytes());
  }
  return {seconds / kSearches * 1e9, peak - before, store.rows};
}

void run(int runs) {
  for (const Workload& workload : kWorkloads)
    for (int i = 0; i < runs; ++i) {
      const Result result = measure(workload, static_cast<std::uint32_t>(i) + 1);
      std::printf("%-32s %6.0f ns a search, %5.1f MiB, %zu rows stored\n", workload.name, result.mean_ns,
                  result.peak_bytes / (1 << 20), result.stored);
    }
}

}  // namespace
}  // namespace kbase::bench

int main(int argc, char** argv) {
  kbase::bench::run(argc > 1 ? std::atoi(argv[1]) : 3);
  return 0;
}
