// SPDX-License-Identifier: Apache-2.0
// A segment with damaged sections but valid checksums is rejected, or searches of it fail or end, and its merge with a
// valid segment fails, or the merged segment can be read. The input is a sequence of changes to a valid segment; each
// change has a section, a position and a byte. At some positions the byte is the number of bytes that are cut off
// instead (see fuzz::change).
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <vector>

#include "adapters/native_index/columns/columns.hpp"
#include "adapters/native_index/files/section_file.hpp"
#include "adapters/native_index/search/search.hpp"
#include "adapters/native_index/segments/segment.hpp"
#include "adapters/native_index/segments/segment_builder.hpp"
#include "adapters/native_index/segments/segment_merger.hpp"
#include "tests/fuzz/one_file.hpp"

namespace {

using namespace kbase;
using namespace kbase::native_index;
using fuzz::OneFile;

constexpr std::size_t kChangeBytes = 4;

std::vector<SectionKind> kinds() {
  std::vector<SectionKind> kinds{kDictionarySection, kPostingsSection, kPositionsSection,
                                 kStoreSection,      kWordSection,     kTextDictionarySection};
  kinds.insert(kinds.end(), std::begin(kColumnSections), std::end(kColumnSections));
  return kinds;
}

const std::vector<SectionKind> kKinds = kinds();

void require(bool holds) {
  if (!holds) std::abort();
}

/// One word is in every item, so its list is long.
std::string sound_segment(const std::string& name, int items) {
  SegmentBuilder builder;
  for (int i = 0; i < items; ++i) {
    const std::string id = name + std::to_string(i * 7 % items);
    const std::string content = "everywhere " + name + " word" + std::to_string(i % 9) + " everywhere";
    model::ItemView item;
    item.id = id;
    item.title = id;
    item.content = content;
    item.category = name;
    item.metadata.updated = model::Day(std::chrono::days(i % 4));
    builder.add(item, {*text::find_language("en")});
  }
  OneFile files;
  auto file = SectionFileWriter::create(files, "any", kSegmentFormat);
  require(builder.write(*file).has_value() && file->finish().has_value());
  return files.content();
}

using Sections = std::vector<std::string>;

Sections sections_of(const std::string& content) {
  OneFile files(content);
  const auto file = SectionFile::open(files, "any", kSegmentFormat);
  Sections sections;
  for (const SectionKind kind : kKinds) sections.emplace_back(as_text((*file)->section(kind)));
  return sections;
}

Result<std::shared_ptr<const Segment>> segment_of(const Sections& sections) {
  OneFile files;
  auto writer = SectionFileWriter::create(files, "any", kSegmentFormat);
  for (std::size_t i = 0; i < sections.size(); ++i)
    require(writer->begin(kKinds[i]).has_value() && writer->append(sections[i]).has_value());
  require(writer->finish().has_value());
  return Segment::open(files, "any");
}

void read_through(const Segment& segment) {
  StoreReader texts(segment.store());
  IdBuffer buffer;
  for (std::uint32_t document = 0; document < segment.documents(); ++document) {
    require(texts.read(document).has_value());
    require(segment.columns().ids().find(segment.columns().ids().id(document, buffer)) == document);
  }
  TermCursor term = segment.dictionary().all();
  while (term.next()) require(segment.list(term.entry()).documents() == term.entry().documents);
  require(!term.damaged());
}

class StandingClock final : public ports::Clock {
 public:
  model::Instant now() const override { return {}; }
  std::chrono::steady_clock::time_point steady() const override { return {}; }
};

/// Visits the first hits of some queries.
void search(const std::shared_ptr<const Segment>& segment) {
  static Workspace workspace;
  static const StandingClock clock;
  Snapshot snapshot;
  DocumentSet deleted(segment->documents());
  if (segment->documents() > 3) deleted.insert(3);
  snapshot.segments.push_back({1, segment, std::make_shared<const DocumentSet>(deleted),
                               std::make_shared<const ViewCounts>(std::vector<std::uint64_t>(segment->documents()))});
  count_documents(snapshot);
  for (const char* const q : {"everywhere", "word1 everywhere", "\"everywhere changed\"", "w*", "changd7", "-word2"})
    for (const model::Sort sort : {model::Sort::Relevance, model::Sort::Popularity}) {
      const model::QueryNode query = *model::parse_query(q);
      ports::SearchRequest request;
      request.query = &query;
      request.sort = sort;
      request.facets = {true, true, true, true};
      const ports::Call call;
      Search search(snapshot, workspace, request, call, clock, {});
      if (search.find()) (void)search.visit_page([](const ports::SearchHit&) { return Visit::Continue; });
    }
}

void merge(const Segment& damaged, const Segment& sound) {
  OneFile files;
  auto file = SectionFileWriter::create(files, "any", kSegmentFormat);
  const std::uint64_t deleted[] = {0b1010};
  const MergeSource sources[] = {{&damaged, deleted}, {&sound, deleted}};
  const auto map = merge_segments(sources, *file, [] { return false; });
  if (!map) {
    require(!map.error().message.empty());
    return;
  }
  require(file->finish().has_value());
  const auto merged = Segment::open(files, "any");
  require(merged.has_value());
  read_through(**merged);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const Sections before_changes = sections_of(sound_segment("changed", 150));
  static const auto unchanged = segment_of(before_changes);
  static const auto other = segment_of(sections_of(sound_segment("sound", 40)));
  require(unchanged.has_value() && other.has_value());
  Sections sections = before_changes;
  for (std::size_t i = 0; i + kChangeBytes <= size; i += kChangeBytes)
    fuzz::change(sections[data[i] % sections.size()], data + i);
  const auto segment = segment_of(sections);
  if (segment) {
    search(*segment);
    merge(**segment, **other);
  }
  return 0;
}
