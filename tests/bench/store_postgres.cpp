// SPDX-License-Identifier: Apache-2.0
// Latency of the PostgreSQL store's calls. Usage: store_postgres URL [SCHEMA [ITEMS]]. The schema contains an import;
// with ITEMS, one batch of that many items of 4 KiB of content is written first. Prints medians in microseconds, and
// the speed of reading the whole changes feed.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

#include "adapters/postgres/item_store.hpp"
#include "adapters/system/system_crypto.hpp"
#include "tests/bench/tool.hpp"
#include "tests/support/counting_random.hpp"

namespace kbase::bench {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int kTimes = 2000;
constexpr std::size_t kIds = 1000;

double microseconds_since(Clock::time_point start) {
  return std::chrono::duration<double, std::micro>(Clock::now() - start).count();
}

template <class Work> void measure(const char* name, Work work) {
  std::vector<double> took;
  for (int i = 0; i < kTimes; ++i) {
    const auto start = Clock::now();
    work(static_cast<std::size_t>(i));
    took.push_back(microseconds_since(start));
  }
  std::nth_element(took.begin(), took.begin() + kTimes / 2, took.end());
  std::printf("%-22s %8.0f us\n", name, took[kTimes / 2]);
}

void fill(ports::ItemStore& store, std::size_t items) {
  constexpr std::size_t kChunk = 500;  // batch size of an import
  const auto start = Clock::now();
  ports::Call call;
  auto writer = require(store.begin(call));
  model::CategoryView category;
  category.id = category.name = "bench";
  require(writer->put_category(call, category));
  for (std::size_t first = 0; first < items; first += kChunk) {
    std::vector<std::string> ids, contents;
    for (std::size_t i = first; i < std::min(first + kChunk, items); ++i) {
      ids.push_back("item " + std::to_string(i));
      while (contents.size() < ids.size()) contents.emplace_back();
      while (contents.back().size() < 4096) contents.back() += std::to_string(i * 2654435761U + contents.back().size());
    }
    std::vector<model::ItemView> views(ids.size());
    std::vector<const model::ItemView*> put;
    for (std::size_t i = 0; i < ids.size(); ++i) {
      views[i].id = views[i].title = ids[i];
      views[i].category = "bench";
      views[i].content = contents[i];
      views[i].excerpt = std::string_view(contents[i]).substr(0, 240);
      put.push_back(&views[i]);
    }
    require(writer->put(call, put));
  }
  require(writer->commit(call));
  const double seconds = microseconds_since(start) / 1e6;
  std::printf("import of %lu items %8.2f s, %.0f items/s\n", static_cast<unsigned long>(items), seconds,
              static_cast<double>(items) / seconds);
}

std::vector<std::string> some_ids(ports::ItemStore& store) {
  std::vector<std::string> ids;
  ports::Call call;
  require(store.recent(call, std::nullopt, {0, kIds}, [&](const model::ItemSummaryView& item) {
    ids.emplace_back(item.id);
    return Visit::Continue;
  }));
  return ids;
}

void measure_reads(ports::ItemStore& store) {
  const std::vector<std::string> ids = some_ids(store);
  const auto ignore = [](const auto&) { return Visit::Continue; };
  measure("revision", [&](std::size_t) {
    ports::Call call;
    require(store.revision(call));
  });
  measure("get", [&](std::size_t i) {
    ports::Call call;
    require(store.get(call, ids[i % ids.size()], ignore));
  });
  measure("recent, 20 items", [&](std::size_t i) {
    ports::Call call;
    require(store.recent(call, std::nullopt, {i % kIds, 20}, ignore));
  });
}

void measure_changes(ports::ItemStore& store) {
  const auto start = Clock::now();
  std::uint64_t records = 0, bytes = 0;
  ports::Call call;
  require(store.changes(call, 0, [&](const ports::Change& change) {
    ++records;
    if (change.item != nullptr) bytes += change.item->content.size();
    return Visit::Continue;
  }));
  const double seconds = microseconds_since(start) / 1e6;
  std::printf("changes from 0         %8.2f s for %lu records with %lu MB of content\n", seconds,
              static_cast<unsigned long>(records), static_cast<unsigned long>(bytes / 1'000'000));
}

/// Time from the return of a commit in one store to the end of wait() in another.
void measure_wake(ports::ItemStore& one, ports::ItemStore& two) {
  std::vector<double> took;
  for (int i = 0; i < 50; ++i) {
    ports::Call call;
    const model::Revision before = require(one.revision(call));
    Clock::time_point woken;
    std::thread waiter([&] {
      ports::Call waiting;
      require(two.wait(waiting, before));
      woken = Clock::now();
    });
    const std::string id = "bench " + std::to_string(i % 2);
    model::CategoryView category;
    category.id = id;
    auto writer = require(one.begin(call));
    require(writer->put_category(call, category));
    require(writer->commit(call));
    const auto committed = Clock::now();
    waiter.join();
    took.push_back(std::chrono::duration<double, std::micro>(woken - committed).count());
  }
  std::sort(took.begin(), took.end());
  std::printf("commit to wake-up      %8.0f us, max %.0f us\n", took[took.size() / 2], took.back());
}

}  // namespace
}  // namespace kbase::bench

int main(int count, char** arguments) {
  using namespace kbase;
  if (count < 2) {
    std::fprintf(stderr, "usage: %s URL [SCHEMA [ITEMS]]\n", arguments[0]);
    return 2;
  }
  postgres::Options options;
  options.url = arguments[1];
  if (count > 2) options.schema = arguments[2];
  const system::SystemClock clock;
  tests::CountingRandom random;
  const auto one = bench::require(postgres::PostgresItemStore::open(options, clock, random));
  const auto two = bench::require(postgres::PostgresItemStore::open(options, clock, random));
  if (count > 3) bench::fill(*one, std::strtoul(arguments[3], nullptr, 10));
  bench::measure_reads(*one);
  bench::measure_changes(*one);
  bench::measure_wake(*one, *two);
  return 0;
}
