// SPDX-License-Identifier: Apache-2.0
// Cost of the native index's dictionary with a million terms. `native_dictionary [WORDS]`: WORDS is a file with one
// word per line, used instead of generated words. Build with -DCMAKE_BUILD_TYPE=RelWithDebInfo.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <bit>
#include <cstdio>
#include <fstream>
#include <random>
#include <string>
#include <vector>

#include "adapters/native_index/dictionary/dictionary.hpp"

namespace kbase::bench {
namespace {

using native_index::Dictionary;
using native_index::DictionaryWriter;
using native_index::NearTerm;
using native_index::TermCursor;

constexpr std::size_t kTerms = 1'000'000;
constexpr std::size_t kProbes = 20'000;

std::vector<std::string> generate_words() {
  constexpr std::string_view kOnsets[] = {"b", "br", "c", "ch", "d", "f", "g",  "l",
                                          "m", "n",  "p", "pr", "r", "s", "st", "t"};
  constexpr std::string_view kRhymes[] = {"a", "al", "an", "e", "en", "er", "i", "in", "ion", "o", "on", "u"};
  std::mt19937 random(1);
  std::vector<std::string> words(kTerms + kTerms / 5);
  for (std::string& word : words)
    for (std::size_t left = 3 + random() % 3; left > 0; --left)
      word.append(kOnsets[random() % std::size(kOnsets)]).append(kRhymes[random() % std::size(kRhymes)]);
  return words;
}

std::vector<std::string> read_words(const char* path) {
  std::vector<std::string> words;
  std::ifstream file(path);
  for (std::string word; std::getline(file, word);) words.push_back(word);
  return words;
}

/// Returns the word with one typing error.
std::string mistyped(std::mt19937& random, std::string word) {
  const std::size_t at = random() % (word.size() - 1);
  const char letter = static_cast<char>('a' + random() % 26);
  switch (random() % 4) {
    case 0: return word.erase(at, 1);
    case 1: return word.insert(at, 1, letter);
    case 2: std::swap(word[at], word[at + 1]); return word;
    default: word[at] = letter; return word;
  }
}

/// Terms, their dictionary and the lookups.
struct World {
  std::vector<std::string> terms;
  std::string section;
  Dictionary dictionary;
  std::vector<std::string> probes;
  std::vector<std::string> typos;

  explicit World(std::vector<std::string> words) : terms(std::move(words)) {
    std::sort(terms.begin(), terms.end());
    terms.erase(std::unique(terms.begin(), terms.end()), terms.end());
    write();
    dictionary = *Dictionary::open(std::as_bytes(std::span(section)));
    std::mt19937 random(2);
    while (probes.size() < kProbes) probes.push_back(terms[random() % terms.size()]);
    for (std::size_t i = 0; i < probes.size() && typos.size() < 100; ++i)
      if (probes[i].size() >= 8 && probes[i].size() <= 14) typos.push_back(mistyped(random, probes[i]));
  }

  void write() {
    std::mt19937 random(3);
    std::uint64_t postings = 0;
    section.clear();
    DictionaryWriter writer(section);
    for (const std::string& term : terms) {
      const auto documents = 1u << std::countr_zero(random() | 1u << 20);  // half of all terms are in one document
      writer.add(term, {documents, postings});
      postings += 8 + documents * 3;
    }
    writer.finish();
  }
};

World* world = nullptr;

void find_term(benchmark::State& state) {
  std::size_t i = 0;
  for (auto _ : state) benchmark::DoNotOptimize(world->dictionary.find(world->probes[i++ % world->probes.size()]));
}

void find_missing_term(benchmark::State& state) {
  std::size_t i = 0;
  for (auto _ : state) benchmark::DoNotOptimize(world->dictionary.find(world->typos[i++ % world->typos.size()]));
}

void prefix(benchmark::State& state) {
  std::size_t i = 0;
  std::int64_t terms = 0;
  for (auto _ : state) {
    const std::string& probe = world->probes[i++ % world->probes.size()];
    const auto beginning = std::string_view(probe).substr(0, static_cast<std::size_t>(state.range(0)));
    for (TermCursor term = world->dictionary.prefix(beginning); term.next();) ++terms;
  }
  state.counters["terms"] = benchmark::Counter(static_cast<double>(terms), benchmark::Counter::kAvgIterations);
}

void all(benchmark::State& state) {
  for (auto _ : state)
    for (TermCursor term = world->dictionary.all(); term.next();) benchmark::DoNotOptimize(term.entry());
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(world->terms.size()));
}

void find_nearest(benchmark::State& state) {
  std::size_t i = 0;
  std::int64_t terms = 0;
  for (auto _ : state)
    world->dictionary.find_near(world->typos[i++ % world->typos.size()], static_cast<unsigned>(state.range(0)), "",
                                [&terms](const NearTerm&) { ++terms; });
  state.counters["terms"] = benchmark::Counter(static_cast<double>(terms), benchmark::Counter::kAvgIterations);
}

void write_dictionary(benchmark::State& state) {
  for (auto _ : state) world->write();
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(world->terms.size()));
}

BENCHMARK(find_term);
BENCHMARK(find_missing_term);
BENCHMARK(prefix)->Arg(5)->Arg(7);
BENCHMARK(all)->Unit(benchmark::kMillisecond);
BENCHMARK(find_nearest)->Arg(1)->Arg(2)->Unit(benchmark::kMicrosecond);
BENCHMARK(write_dictionary)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace kbase::bench

int main(int argc, char** argv) {
  using namespace kbase::bench;
  benchmark::Initialize(&argc, argv);
  World made(argc > 1 ? read_words(argv[1]) : generate_words());
  world = &made;
  std::size_t bytes = 0;
  for (const std::string& term : made.terms) bytes += term.size();
  const auto per_term = [&made](std::size_t size) {
    return static_cast<double>(size) / static_cast<double>(made.terms.size());
  };
  std::printf("%zu terms of %.2f bytes; %.2f dictionary bytes per term\n", made.terms.size(), per_term(bytes),
              per_term(made.section.size()));
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
