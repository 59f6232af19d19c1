// SPDX-License-Identifier: Apache-2.0
// Cost of the inner loops over postings for each instruction set of this processor, and of the views on top of them.
// `ns` is the time per document examined; for operations on whole sets, per set.
#include <benchmark/benchmark.h>

#include <random>
#include <string>
#include <vector>

#include "adapters/native_index/postings/kernels.hpp"
#include "adapters/native_index/postings/posting_list.hpp"
#include "adapters/native_index/postings/posting_writer.hpp"

namespace kbase::native_index {
namespace {

using Array = std::vector<std::uint16_t>;

/// Returns about `size` documents of a window, ascending.
Array random_array(std::uint32_t size, std::uint32_t seed) {
  std::mt19937 random(seed);
  Array array;
  for (std::uint32_t document = 0; document < kWindowDocuments; ++document)
    if (random() % kWindowDocuments < size) array.push_back(static_cast<std::uint16_t>(document));
  return array;
}

WindowSet random_set(std::uint32_t size, std::uint32_t seed) {
  WindowSet set;
  for (const std::uint16_t document : random_array(size, seed)) set.insert(document);
  return set;
}

std::vector<std::uint8_t> random_bytes(std::size_t size) {
  std::mt19937 random(5);
  std::vector<std::uint8_t> bytes(size);
  for (std::uint8_t& byte : bytes) byte = static_cast<std::uint8_t>(1 + random() % 255);
  return bytes;
}

void report(benchmark::State& state, std::size_t documents) {
  using benchmark::Counter;
  state.counters["ns"] = Counter(1e-9 * static_cast<double>(documents) * static_cast<double>(state.iterations()),
                                 Counter::kIsRate | Counter::kInvert);
}

void combine_sets(benchmark::State& state, void (*kernel)(std::uint64_t*, const std::uint64_t*)) {
  WindowSet set = random_set(20'000, 1);
  const WindowSet other = random_set(20'000, 2);
  for (auto _ : state) {
    kernel(set.words.data(), other.words.data());
    benchmark::ClobberMemory();
  }
  report(state, 1);
}

void count_set(benchmark::State& state, const Kernels* kernels) {
  const WindowSet set = random_set(20'000, 1);
  for (auto _ : state) benchmark::DoNotOptimize(kernels->count(set.words.data()));
  report(state, 1);
}

void count_common(benchmark::State& state, const Kernels* kernels) {
  const WindowSet set = random_set(20'000, 1);
  const WindowSet other = random_set(20'000, 2);
  for (auto _ : state) benchmark::DoNotOptimize(kernels->count_common(set.words.data(), other.words.data()));
  report(state, 1);
}

void insert(benchmark::State& state, const Kernels* kernels) {
  const Array array = random_array(2'000, 1);
  WindowSet set;
  for (auto _ : state) {
    kernels->insert(set.words.data(), array.data(), array.size());
    benchmark::ClobberMemory();
  }
  report(state, array.size());
}

void count_in(benchmark::State& state, const Kernels* kernels) {
  const Array array = random_array(2'000, 1);
  const WindowSet set = random_set(20'000, 2);
  for (auto _ : state) benchmark::DoNotOptimize(kernels->count_in(set.words.data(), array.data(), array.size()));
  report(state, array.size());
}

void filter(benchmark::State& state, const Kernels* kernels) {
  const Array array = random_array(2'000, 1);
  const WindowSet set = random_set(20'000, 2);
  Array out(array.size());
  for (auto _ : state)
    benchmark::DoNotOptimize(kernels->filter(set.words.data(), array.data(), array.size(), out.data()));
  report(state, array.size());
}

/// Per document of the shorter array, which has 4,000/ratio documents; the other has 4,000.
void common(benchmark::State& state, const Kernels* kernels) {
  const Array rare = random_array(4'000 / static_cast<std::uint32_t>(state.range(0)), 1);
  const Array frequent = random_array(4'000, 2);
  Array out(rare.size());
  for (auto _ : state)
    benchmark::DoNotOptimize(
        kernels->intersect_arrays(rare.data(), rare.size(), frequent.data(), frequent.size(), out.data()));
  report(state, rare.size());
}

/// Lists a span of a bitmap in which one document in `range` is set.
void list(benchmark::State& state, const Kernels* kernels) {
  const std::uint32_t documents = kWindowDocuments / static_cast<std::uint32_t>(state.range(0));
  const WindowSet set = random_set(documents, 1);
  Array out(kWindowDocuments);
  std::size_t listed = 0;
  for (auto _ : state) benchmark::DoNotOptimize(listed = kernels->list(set.words.data(), kWindowWords, 0, out.data()));
  report(state, listed);
}

void rank(benchmark::State& state, const Kernels* kernels) {
  const WindowSet set = random_set(20'000, 1);
  const std::vector<std::uint8_t> positions = random_bytes(1 << 14);
  std::size_t next = 0;
  for (auto _ : state) {
    benchmark::DoNotOptimize(kernels->rank(set.words.data(), positions[next] * 2U));
    next = (next + 1) % positions.size();
  }
  report(state, 1);
}

void max(benchmark::State& state, const Kernels* kernels) {
  const std::vector<std::uint8_t> bytes = random_bytes(256);
  for (auto _ : state) benchmark::DoNotOptimize(kernels->max(bytes.data(), bytes.size()));
  report(state, bytes.size());
}

/// One byte in 26 reaches the threshold.
void at_least(benchmark::State& state, const Kernels* kernels) {
  const std::vector<std::uint8_t> bytes = random_bytes(256);
  Array out(bytes.size());
  for (auto _ : state) benchmark::DoNotOptimize(kernels->find_at_least(bytes.data(), bytes.size(), 246, out.data()));
  report(state, bytes.size());
}

/// Skips to a posting in the middle of a block of 128 with about three bytes of positions each.
void skip_marks(benchmark::State& state, const Kernels* kernels) {
  std::vector<std::uint8_t> bytes(128 * 3, 0x05);
  for (std::size_t i = 2; i < bytes.size(); i += 3) bytes[i] = 0xC5;
  for (auto _ : state) benchmark::DoNotOptimize(kernels->skip_postings(bytes.data(), bytes.size(), 64));
  report(state, 1);
}

void fill(PostingBuffer& buffer, const Array& documents, const std::vector<std::uint8_t>& impacts) {
  for (std::size_t i = 0; i < documents.size(); ++i) buffer.add(documents[i], impacts[i]);
}

/// Posting list of one window; `size` documents contain the term.
MemoryPostingList list_of(std::uint32_t size) {
  const Array documents = random_array(size, 3);
  PostingBuffer buffer;
  fill(buffer, documents, random_bytes(documents.size()));
  return MemoryPostingList(buffer);
}

void open_and_read_window(benchmark::State& state) {
  PostingBuffer buffer;
  for (std::uint32_t document = 0; document < state.range(0); ++document) buffer.add(document * 7, 9);
  const MemoryPostingList memory(buffer);
  const PostingList& list = memory.list();
  for (auto _ : state) benchmark::DoNotOptimize(list.window_numbered(0));
  report(state, 1);
}

void read_spans(benchmark::State& state) {
  const MemoryPostingList memory = list_of(static_cast<std::uint32_t>(state.range(0)));
  const Window window = memory.list().window(0);
  Window::SpanScratch scratch;
  for (auto _ : state)
    for (const Span& span : window.spans()) benchmark::DoNotOptimize(window.documents(span, scratch));
  report(state, window.count());
}

/// Looks up 1,000 documents of the window, in order, in a list of `range` documents.
void probe_by_cursor(benchmark::State& state) {
  const MemoryPostingList memory = list_of(static_cast<std::uint32_t>(state.range(0)));
  const Array documents = random_array(1'000, 4);
  for (auto _ : state) {
    WindowCursor cursor(memory.list().window(0));
    std::uint32_t sum = 0;
    for (const std::uint16_t document : documents)
      if (cursor.next_at_or_after(document) == document) sum += cursor.impact();
    benchmark::DoNotOptimize(sum);
  }
  report(state, documents.size());
}

void probe_at_once(benchmark::State& state) {
  const MemoryPostingList memory = list_of(static_cast<std::uint32_t>(state.range(0)));
  const Array documents = random_array(1'000, 4);
  std::vector<std::uint8_t> impacts(documents.size());
  for (auto _ : state) {
    memory.list().window(0).impacts_of(documents, impacts.data());
    benchmark::DoNotOptimize(impacts.data());
    benchmark::ClobberMemory();
  }
  report(state, documents.size());
}

void make_memory_list(benchmark::State& state) {
  const Array documents = random_array(static_cast<std::uint32_t>(state.range(0)), 3);
  const std::vector<std::uint8_t> impacts = random_bytes(documents.size());
  PostingBuffer buffer;
  for (auto _ : state) {
    buffer.clear();
    fill(buffer, documents, impacts);
    benchmark::DoNotOptimize(MemoryPostingList(buffer));
  }
  report(state, documents.size());
}

void positions_of_a_posting(benchmark::State& state) {
  PostingBuffer buffer;
  const std::vector<std::uint32_t> positions{30, 80};
  for (std::uint32_t document = 0; document < 2'000; ++document) buffer.add(document * 20, 9, positions);
  const MemoryPostingList memory(buffer);
  const Window window = memory.list().window(0);
  std::uint32_t rank = 0;
  for (auto _ : state) {
    PositionReader reader = window.positions(rank);
    std::uint32_t sum = 0;
    for (std::uint32_t position = 0; reader.next(position);) sum += position;
    benchmark::DoNotOptimize(sum);
    rank = (rank + 37) % window.count();
  }
  report(state, 1);
}

void register_kernels(const Kernels* kernels) {
  const auto name = [&](const char* kernel) { return std::string(kernel).append("/").append(kernels->name); };
  benchmark::RegisterBenchmark(name("unite").c_str(), combine_sets, kernels->unite);
  benchmark::RegisterBenchmark(name("intersect").c_str(), combine_sets, kernels->intersect);
  benchmark::RegisterBenchmark(name("subtract").c_str(), combine_sets, kernels->subtract);
  benchmark::RegisterBenchmark(name("count").c_str(), count_set, kernels);
  benchmark::RegisterBenchmark(name("count_common").c_str(), count_common, kernels);
  benchmark::RegisterBenchmark(name("insert").c_str(), insert, kernels);
  benchmark::RegisterBenchmark(name("count_in").c_str(), count_in, kernels);
  benchmark::RegisterBenchmark(name("filter").c_str(), filter, kernels);
  benchmark::RegisterBenchmark(name("common").c_str(), common, kernels)->Arg(1)->Arg(4)->Arg(16)->Arg(64)->Arg(256);
  benchmark::RegisterBenchmark(name("list").c_str(), list, kernels)->Arg(3)->Arg(8)->Arg(16);
  benchmark::RegisterBenchmark(name("rank").c_str(), rank, kernels);
  benchmark::RegisterBenchmark(name("max").c_str(), max, kernels);
  benchmark::RegisterBenchmark(name("at_least").c_str(), at_least, kernels);
  benchmark::RegisterBenchmark(name("skip_marks").c_str(), skip_marks, kernels);
}

BENCHMARK(open_and_read_window)->Arg(1)->Arg(100)->Arg(1'000);
BENCHMARK(read_spans)->Arg(60)->Arg(1'000)->Arg(4'000)->Arg(8'000)->Arg(20'000);
BENCHMARK(probe_by_cursor)->Arg(60)->Arg(1'000)->Arg(4'000)->Arg(20'000);
BENCHMARK(probe_at_once)->Arg(60)->Arg(1'000)->Arg(4'000)->Arg(20'000);
BENCHMARK(make_memory_list)->Arg(60)->Arg(1'000)->Arg(4'000)->Arg(20'000);
BENCHMARK(positions_of_a_posting);

}  // namespace
}  // namespace kbase::native_index

int main(int argc, char** argv) {
  for (const kbase::native_index::Kernels* kernels : kbase::native_index::all_kernels())
    kbase::native_index::register_kernels(kernels);
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
}
