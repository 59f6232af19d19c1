// SPDX-License-Identifier: Apache-2.0
#include "adapters/native_index/commits/snapshot.hpp"

#include <algorithm>
#include <numeric>

#include "adapters/text/query.hpp"

namespace kbase::native_index {
namespace {

using Histogram = std::array<std::uint64_t, 256>;

/// Returns the languages in which items are stemmed, sorted by descending number of items, then by name.
std::vector<text::Language> languages_of(const Histogram& items) {
  std::vector<text::Language> languages;
  for (std::size_t i = 1; i < text::kLanguages; ++i)
    if (items[i] > 0) languages.push_back(static_cast<text::Language>(i));
  std::sort(languages.begin(), languages.end(), [&](text::Language a, text::Language b) {
    const std::uint64_t one = items[static_cast<std::size_t>(a)];
    const std::uint64_t other = items[static_cast<std::size_t>(b)];
    return one != other ? one > other : text::name_of(a) < text::name_of(b);
  });
  return languages;
}

}  // namespace

void count_documents(Snapshot& snapshot) {
  Histogram items{};
  snapshot.documents = 0;
  for (const LiveSegment& each : snapshot.segments) {
    const auto languages = each.segment->columns().languages();
    for (const std::uint8_t language : languages) ++items[language];
    each.deleted->for_each([&](std::uint32_t document) { --items[languages[document]]; });
    snapshot.documents += each.documents();
  }
  snapshot.languages = languages_of(items);
  const auto least = text::kMinLanguageShare * static_cast<double>(snapshot.documents);
  const auto main_ones = std::find_if(snapshot.languages.begin(), snapshot.languages.end(), [&](text::Language each) {
    return static_cast<double>(items[static_cast<std::size_t>(each)]) < least;
  });
  const auto count = std::min<std::ptrdiff_t>(main_ones - snapshot.languages.begin(), text::kMaxQueryLanguages);
  snapshot.other_languages.assign(snapshot.languages.begin() + count, snapshot.languages.end());
  snapshot.languages.resize(static_cast<std::size_t>(count));
}

}  // namespace kbase::native_index
