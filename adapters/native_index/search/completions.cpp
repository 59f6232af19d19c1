// SPDX-License-Identifier: Apache-2.0
#include "adapters/native_index/search/completions.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "adapters/native_index/segments/segment_format.hpp"

namespace kbase::native_index {
namespace {

/// Marks of the two ranges of words: words that equal their stem (no mark), and the others.
constexpr std::array<std::string_view, 2> kMarks = {std::string_view(), std::string_view(&kExactMark, 1)};

/// Iterates over the words of one segment that have the mark and are longer than their prefix `beginning`. Names are
/// without the mark.
class Words {
 public:
  Words(const Segment& segment, std::string_view mark, std::string_view beginning)
      : terms_(segment.dictionary().prefix(std::string(mark).append(beginning))),
        mark_(mark.size()),
        beginning_(beginning.size()) {}

  bool next() {
    while (terms_.next())
      if (terms_.entry().is_word && name().size() > beginning_) return true;
    return false;
  }
  std::string_view name() const { return terms_.term().substr(mark_); }
  std::uint64_t items() const { return terms_.entry().documents; }

 private:
  TermCursor terms_;
  std::size_t mark_;
  std::size_t beginning_;
};

/// Counts deleted items until their segment is merged.
std::vector<NamedCount> most_frequent_ever(const Snapshot& snapshot, std::string_view beginning, std::size_t limit) {
  std::vector<Words> words;
  for (const LiveSegment& live : snapshot.segments)
    for (const std::string_view mark : kMarks) words.emplace_back(*live.segment, mark, beginning);
  return most_frequent(std::move(words), limit);
}

/// Returns the number of deleted items that contain the word.
std::uint64_t deleted_with(const Snapshot& snapshot, const std::string& word) {
  std::uint64_t items = 0;
  for (const LiveSegment& live : snapshot.segments) {
    if (live.deleted->size() == 0) continue;
    for (const std::string_view mark : kMarks)
      if (const auto entry = live.segment->dictionary().find(std::string(mark).append(word)); entry && entry->is_word)
        items += live.segment->list(*entry).count_in(live.deleted->words());
  }
  return items;
}

/// Subtracts deleted items and removes words without items.
void keep_live(const Snapshot& snapshot, std::vector<NamedCount>& words) {
  for (NamedCount& each : words) each.items -= std::min(each.items, deleted_with(snapshot, each.name));
  std::erase_if(words, [](const NamedCount& each) { return each.items == 0; });
  std::sort(words.begin(), words.end(), is_before);
}

}  // namespace

std::vector<NamedCount> complete(const Snapshot& snapshot, std::string_view beginning, std::size_t limit) {
  if (limit == 0) return {};
  for (std::size_t gathered = 2 * limit;; gathered *= 4) {
    std::vector<NamedCount> words = most_frequent_ever(snapshot, beginning, gathered);
    const bool are_all = words.size() < gathered;
    const std::uint64_t most_of_others = are_all ? 0 : words.back().items;
    keep_live(snapshot, words);
    if (are_all || (words.size() >= limit && words[limit - 1].items >= most_of_others)) {
      words.resize(std::min(words.size(), limit));
      return words;
    }
  }
}

}  // namespace kbase::native_index
