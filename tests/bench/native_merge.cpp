// SPDX-License-Identifier: Apache-2.0
// Cost of merging four segments, by step: unchanged, with a tenth of the documents deleted, and with impacts
// recomputed. Items are assigned to the segments in turn, so that every sort order interleaves them. Files are in the
// page cache; times are CPU times of one thread.
// Usage: native_merge SOURCE (a source for `kbase import`). Prints a table.
#include <cstdio>
#include <filesystem>
#include <random>
#include <string>
#include <vector>

#include "adapters/content/content_source.hpp"
#include "adapters/native_index/files/files.hpp"
#include "adapters/native_index/segments/segment.hpp"
#include "adapters/native_index/segments/segment_builder.hpp"
#include "adapters/native_index/segments/segment_merger.hpp"
#include "tests/bench/tool.hpp"
#include "tests/support/plain_markup.hpp"
#include "tests/support/temporary_folder.hpp"

namespace {

using namespace kbase;
using namespace kbase::native_index;
using bench::require;
using bench::Stopwatch;

constexpr std::size_t kSegments = 4;
constexpr double kMega = 1e6;

/// Indexes in English, so that language detection does not dominate the time.
std::vector<std::shared_ptr<const Segment>> build(Files& files, const std::filesystem::path& folder,
                                                  const std::string& source) {
  std::vector<SegmentBuilder> builders(kSegments);
  std::size_t items = 0;
  Stopwatch watch;
  ports::Call call;
  const auto opened = require(content::open_source(source, {}, tests::kPlainMarkup, model::Day{}, {}));
  require(opened->read(call, [&](const ports::ContentRecord& record) {
    const auto* item = std::get_if<ports::ItemRecord>(&record.record);
    if (item == nullptr) return Visit::Continue;
    model::ItemView view;
    view.id = item->id;
    view.title = item->title;
    view.content = item->content;
    view.category = item->category;
    view.tags = item->tags;
    view.metadata.updated = item->updated.value_or(model::Day{});
    builders[items++ % kSegments].add(view, {*text::find_language("en")});
    return Visit::Continue;
  }));
  const double added = watch.lap();
  std::vector<std::shared_ptr<const Segment>> segments;
  for (SegmentBuilder& builder : builders) {
    const auto path = folder / std::to_string(segments.size());
    auto file = require(SectionFileWriter::create(files, path, kSegmentFormat));
    require(builder.write(file));
    require(file.finish());
    segments.push_back(require(Segment::open(files, path)));
  }
  std::printf("%zu items: read and analyzed in %.2f s, written in %.2f s\n\n", items, added, watch.lap());
  return segments;
}

struct Case {
  const char* name;
  unsigned deleted_percent;
};

void measure(Files& files, const std::filesystem::path& path,
             const std::vector<std::shared_ptr<const Segment>>& segments, const Case& of) {
  std::mt19937 random(1);
  std::vector<std::vector<std::uint64_t>> deleted;
  std::vector<MergeSource> sources;
  for (const auto& segment : segments) {
    auto& words = deleted.emplace_back(segment->windows() * kWindowWords);
    for (std::uint32_t i = 0; i < segment->documents(); ++i)
      if (random() % 100 < of.deleted_percent) words[i / 64] |= std::uint64_t{1} << (i % 64);
  }
  for (std::size_t i = 0; i < segments.size(); ++i) sources.push_back({segments[i].get(), deleted[i]});

  const auto never = [] { return false; };
  auto file = require(SectionFileWriter::create(files, path, kSegmentFormat));
  StopPoller stop_poller(never);
  Stopwatch watch;
  for (const auto& segment : segments) require(segment->file().verify(never));
  const double verified = watch.lap();
  const DocumentMap map = require(merge_documents(sources, file, stop_poller));
  const double documents = watch.lap();
  require(merge_texts(sources, map, file, stop_poller));
  const double texts = watch.lap();
  require(merge_lists(sources, map, file, stop_poller));
  const double lists = watch.lap();
  require(file.finish());
  const double synced = watch.lap();
  const auto merged = require(Segment::open(files, path));
  std::printf("| %s | %u | %.1f | %.2f | %.2f | %.2f | %.2f | %.2f | %.2f |\n", of.name, merged->documents(),
              static_cast<double>(merged->file().bytes()) / kMega, verified, documents, texts, lists, synced,
              verified + documents + texts + lists + synced);
}

}  // namespace

int main(int count, char** arguments) {
  if (count != 2) {
    std::fputs("usage: native_merge SOURCE\n", stderr);
    return 2;
  }
  tests::TemporaryFolder folder;
  PosixFiles files;
  const auto segments = build(files, folder.path(), arguments[1]);
  std::puts("| case | documents | MB | verify s | documents s | texts s | lists s | sync s | all s |");
  std::puts("|---|---|---|---|---|---|---|---|---|");
  for (const Case& of : {Case{"four segments", 0}, Case{"a tenth deleted", 10}})
    measure(files, folder.path() / "merged", segments, of);
  return 0;
}
