// SPDX-License-Identifier: Apache-2.0
// Cost of stored texts (disk space, writing, reading) by compression level, and cost of opening and
// reading columns. Files are in the page cache. Times are CPU times of one thread, except the 99th percentile, which
// is wall time.
// Usage: native_store SOURCE (a source for `kbase import`). Prints a table.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "adapters/content/content_source.hpp"
#include "adapters/native_index/columns/columns.hpp"
#include "adapters/native_index/files/files.hpp"
#include "adapters/native_index/files/section_file.hpp"
#include "adapters/native_index/store/store.hpp"
#include "tests/bench/tool.hpp"
#include "tests/support/plain_markup.hpp"
#include "tests/support/temporary_folder.hpp"

namespace {

using namespace kbase;
using namespace kbase::native_index;
using bench::fail;
using bench::require;
using bench::Stopwatch;
using Steady = std::chrono::steady_clock;

constexpr std::uint32_t kFormat = 1;
constexpr std::size_t kReads = 200'000;
constexpr double kMega = 1e6;

struct Item {
  std::string id, category, title, content;
  model::Day updated;
};

/// Reads the items in segment order: updated descending, id ascending.
std::vector<Item> read_items(const std::string& source) {
  std::vector<Item> items;
  ports::Call call;
  const auto opened = require(content::open_source(source, {}, tests::kPlainMarkup, model::Day{}, {}));
  require(opened->read(call, [&](const ports::ContentRecord& record) {
    if (const auto* item = std::get_if<ports::ItemRecord>(&record.record))
      items.push_back({std::string(item->id), std::string(item->category), std::string(item->title),
                       std::string(item->content), item->updated.value_or(model::Day{})});
    return Visit::Continue;
  }));
  std::sort(items.begin(), items.end(),
            [](const Item& a, const Item& b) { return a.updated != b.updated ? a.updated > b.updated : a.id < b.id; });
  return items;
}

std::size_t bytes_of(const std::vector<Item>& items) {
  std::size_t bytes = 0;
  for (const Item& item : items) bytes += item.title.size() + item.content.size();
  return bytes;
}

/// Microseconds per text.
struct Reading {
  double mean;
  double p99;
};

Reading read_at_random(const Store& store) {
  std::mt19937 random(1);
  std::vector<double> times(kReads);
  std::size_t sum = 0;
  StoreReader reader(store);
  const Stopwatch watch;
  for (double& time : times) {
    const auto document = static_cast<std::uint32_t>(random() % store.documents());
    const auto start = Steady::now();
    const auto text = reader.read(document);
    time = std::chrono::duration<double, std::micro>(Steady::now() - start).count();
    if (!text) fail(text.error());
    sum += text->content.size();
  }
  const double seconds = watch.seconds();
  if (sum == 0) std::puts("no text");
  std::nth_element(times.begin(), times.begin() + kReads * 99 / 100, times.end());
  return {seconds / kReads * kMega, times[kReads * 99 / 100]};
}

double read_in_order(const Store& store) {
  StoreReader reader(store);
  const Stopwatch watch;
  for (std::uint32_t document = 0; document < store.documents(); ++document)
    if (const auto text = reader.read(document); !text) fail(text.error());
  return watch.seconds();
}

void measure_store(Files& files, const std::filesystem::path& path, const std::vector<Item>& items, bool has_dictionary,
                   int level) {
  const Stopwatch watch;
  {
    TextSampler sampler(bytes_of(items));
    if (has_dictionary)
      for (const Item& item : items) sampler.add({item.title, item.content});
    auto file = require(SectionFileWriter::create(files, path, kFormat));
    auto writer = require(StoreWriter::begin(file, sampler.learn(), level));
    std::uint32_t document = 0;
    for (const Item& item : items) require(writer.add(document++, {item.title, item.content}));
    require(writer.finish());
    require(file.finish());
  }
  const double written = watch.seconds();
  const auto file = require(SectionFile::open(files, path, kFormat));
  require(file->verify());
  const Store store = require(Store::open(file->section(kStoreSection), file->section(kTextDictionarySection)));
  read_at_random(store);
  const Reading reading = read_at_random(store);
  std::printf("| %-3s | %5d | %6.1f | %7.2f | %8.2f | %7.2f | %9.2f |\n", has_dictionary ? "yes" : "no", level,
              static_cast<double>(file->bytes()) / kMega, written, reading.mean, reading.p99, read_in_order(store));
  std::fflush(stdout);
}

void write_ids(SectionFileWriter& file, const std::vector<Item>& items) {
  std::vector<std::uint32_t> by_id(items.size());
  std::iota(by_id.begin(), by_id.end(), 0U);
  std::sort(by_id.begin(), by_id.end(), [&](auto a, auto b) { return items[a].id < items[b].id; });
  IdTableWriter ids;
  for (const std::uint32_t document : by_id) ids.add(items[document].id);
  require(ids.write(file, by_id));
}

void measure_columns(Files& files, const std::filesystem::path& path, const std::vector<Item>& items) {
  const Stopwatch writing;
  {
    ColumnsWriter writer;
    for (const Item& item : items) writer.add({item.category, {}, item.updated});
    auto file = require(SectionFileWriter::create(files, path, kFormat));
    require(writer.write(file));
    write_ids(file, items);
    require(file.finish());
  }
  const double written = writing.seconds();
  const auto file = require(SectionFile::open(files, path, kFormat));
  require(file->verify());
  const Stopwatch opening;
  const Columns columns = require(Columns::open(*file));
  const double opened = opening.seconds();

  std::mt19937 random(1);
  std::size_t sum = 0;
  IdBuffer buffer;
  const Stopwatch looking;
  for (std::size_t i = 0; i < kReads; ++i)
    sum += columns.ids().id(static_cast<std::uint32_t>(random() % columns.documents()), buffer).size();
  const double looked = looking.seconds();
  const Stopwatch finding;
  for (std::size_t i = 0; i < kReads; ++i) sum += columns.ids().find(items[random() % items.size()].id).value();
  const double found = finding.seconds();
  std::printf("\ncolumns of %u documents: %.1f MB, written in %.2f s, opened in %.2f ms, id %.0f ns, find %.0f ns%s\n",
              columns.documents(), static_cast<double>(file->bytes()) / kMega, written, opened * 1e3,
              looked / kReads * 1e9, found / kReads * 1e9, sum == 0 ? "!" : "");
}

}  // namespace

int main(int count, char** arguments) {
  if (count != 2) {
    std::fputs("usage: native_store SOURCE\n", stderr);
    return 2;
  }
  const std::vector<Item> items = read_items(arguments[1]);
  std::printf("%zu items, %.1f MB of titles and contents, read at random %zu times\n\n", items.size(),
              static_cast<double>(bytes_of(items)) / kMega, kReads);
  std::puts("| dictionary | level | MB | write s | read µs | p99 µs | sequential s |\n|---|---|---|---|---|---|---|");
  tests::TemporaryFolder folder;
  PosixFiles files;
  for (const bool has_dictionary : {false, true})
    for (const int level : {1, 3, 9}) measure_store(files, folder.path() / "store", items, has_dictionary, level);
  measure_columns(files, folder.path() / "columns", items);
  return 0;
}
