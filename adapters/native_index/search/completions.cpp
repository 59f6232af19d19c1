// SPDX-License-Identifier: Apache-2.0
#include "adapters/native_index/search/completions.hpp"

#include <string>
#include <utility>

#include "adapters/native_index/segments/segment_format.hpp"

namespace kbase::native_index {
namespace {

/// The words of one segment behind a mark, without it.
class Words {
 public:
  Words(const Segment& segment, std::string_view mark, std::string_view beginning)
      : terms_(segment.dictionary().prefix(std::string(mark).append(beginning))), mark_(mark.size()) {}

  bool next() {
    while (terms_.next())
      if (terms_.entry().is_word) return true;
    return false;
  }
  std::string_view name() const { return terms_.term().substr(mark_); }
  std::uint64_t items() const { return terms_.entry().documents; }

 private:
  TermCursor terms_;
  std::size_t mark_;
};

}  // namespace

std::vector<NamedCount> complete(const Snapshot& snapshot, std::string_view beginning, std::size_t limit) {
  std::vector<Words> words;
  for (const LiveSegment& live : snapshot.segments)
    for (const std::string_view mark : {std::string_view(), std::string_view(&kExactMark, 1)})
      words.emplace_back(*live.segment, mark, beginning);
  return most_frequent(std::move(words), limit);
}

}  // namespace kbase::native_index
