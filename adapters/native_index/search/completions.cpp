// SPDX-License-Identifier: Apache-2.0
#include "adapters/native_index/search/search.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "adapters/native_index/search/surface_forms.hpp"
#include "adapters/native_index/segments/segment.hpp"

namespace kbase::native_index {
namespace {

/// Marks of the two ranges of words: words that equal their stem (no mark), and the others.
constexpr std::array<std::string_view, 2> kMarks = {std::string_view(), std::string_view(&kExactMark, 1)};

/// Iterates over the terms of one segment that have the mark and are longer than `prefix` and begin with it. Names are
/// without the mark.
class Words {
 public:
  Words(const LiveSegment& live, std::string_view mark, std::string_view prefix)
      : live_(&live),
        terms_(live.segment->dictionary().prefix(std::string(mark).append(prefix))),
        mark_(mark.size()),
        prefix_bytes_(prefix.size()) {}

  bool next() {
    while (terms_.next())
      if (name().size() > prefix_bytes_) return true;
    return false;
  }
  bool is_wanted() const { return has_live_word(*live_, terms_.entry()); }
  std::string_view name() const { return terms_.term().substr(mark_); }
  std::uint64_t items() const { return terms_.entry().documents; }

 private:
  const LiveSegment* live_;
  TermCursor terms_;
  std::size_t mark_;
  std::size_t prefix_bytes_;
};

/// Counts deleted items until their segment is merged.
std::vector<NamedCount> find_top_words_with_deleted(const Snapshot& snapshot, std::string_view prefix,
                                                    std::size_t limit) {
  std::vector<Words> words;
  for (const LiveSegment& live : snapshot.segments)
    for (const std::string_view mark : kMarks) words.emplace_back(live, mark, prefix);
  return merge_top_names(std::move(words), limit);
}

/// Returns the number of deleted items that contain the word, or one with this stem.
std::uint64_t count_deleted(const Snapshot& snapshot, const std::string& word) {
  std::uint64_t items = 0;
  for (const LiveSegment& live : snapshot.segments) {
    if (live.deleted->size() == 0) continue;
    for (const std::string_view mark : kMarks)
      if (const auto entry = live.segment->dictionary().find(std::string(mark).append(word)))
        items += live.segment->list(*entry).count_in(live.deleted->words());
  }
  return items;
}

/// Subtracts deleted items and removes words without items.
void subtract_deleted(const Snapshot& snapshot, std::vector<NamedCount>& words) {
  for (NamedCount& each : words) each.items -= std::min(each.items, count_deleted(snapshot, each.name));
  std::erase_if(words, [](const NamedCount& each) { return each.items == 0; });
  std::sort(words.begin(), words.end(), is_before);
}

constexpr std::size_t kMaxCachedPrefixBytes = 3;
constexpr std::size_t kMaxCachedPrefixes = 4096;

}  // namespace

std::vector<NamedCount> complete(const Snapshot& snapshot, std::string_view prefix, std::size_t limit) {
  if (limit == 0) return {};
  for (std::size_t gathered = 2 * limit;; gathered *= 4) {
    std::vector<NamedCount> words = find_top_words_with_deleted(snapshot, prefix, gathered);
    const bool is_complete = words.size() < gathered;
    const std::uint64_t max_of_others = is_complete ? 0 : words.back().items;
    subtract_deleted(snapshot, words);
    if (is_complete || (words.size() >= limit && words[limit - 1].items >= max_of_others)) {
      words.resize(std::min(words.size(), limit));
      return words;
    }
  }
}

Result<CompletionCache::Completions> CompletionCache::complete(const Snapshot& snapshot, text::Analyzer& analyzer,
                                                               std::string_view prefix, std::size_t limit) {
  const auto compute = [&]() -> Result<Completions> {
    std::vector<NamedCount> words = native_index::complete(snapshot, prefix, limit);
    for (NamedCount& word : words) {
      auto form = KBASE_TRY(find_surface_form(snapshot, analyzer, word.name));
      word.name = std::move(form);
    }
    return std::make_shared<const std::vector<NamedCount>>(std::move(words));
  };
  if (prefix.size() > kMaxCachedPrefixBytes) return compute();
  std::string key(prefix);
  if (Completions entry = find(snapshot, key, limit)) return entry;
  auto completions = KBASE_TRY(compute());
  store(snapshot, std::move(key), {limit, completions});
  return completions;
}

CompletionCache::Completions CompletionCache::find(const Snapshot& snapshot, const std::string& prefix,
                                                   std::size_t limit) {
  const std::lock_guard lock(mutex_);
  if (!is_for(snapshot)) return nullptr;
  const auto entry = cache_.find(prefix);
  return entry != cache_.end() && entry->second.limit >= limit ? entry->second.completions : nullptr;
}

/// Adds to the cache; clears it first if it was computed for other content.
void CompletionCache::store(const Snapshot& snapshot, std::string prefix, CacheEntry entry) {
  const std::lock_guard lock(mutex_);
  if (!is_for(snapshot)) {
    cache_.clear();
    contents_.clear();
    for (const LiveSegment& live : snapshot.segments) contents_.push_back({live.segment, live.deleted});
  }
  if (cache_.size() < kMaxCachedPrefixes) cache_.insert_or_assign(std::move(prefix), std::move(entry));
}

bool CompletionCache::is_for(const Snapshot& snapshot) const {
  return std::equal(contents_.begin(), contents_.end(), snapshot.segments.begin(), snapshot.segments.end(),
                    [](const Content& content, const LiveSegment& live) {
                      return content.segment.lock() == live.segment && content.deleted.lock() == live.deleted;
                    });
}

}  // namespace kbase::native_index
