// SPDX-License-Identifier: Apache-2.0
#include "adapters/native_index/commits/snapshot.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <utility>

#include "adapters/text/query.hpp"

namespace kbase::native_index {
namespace {

constexpr std::size_t kTierFractions[] = {256, 64, 16, 4};  // one in this many documents

/// Minimum sample size for the tier bounds, in segments that have as many documents.
constexpr std::size_t kSample = 8'192;

/// Returns the views of every nth document, in descending order.
std::vector<std::uint64_t> sample_views(const std::vector<std::uint64_t>& views) {
  const std::size_t step = std::max<std::size_t>(1, views.size() / kSample);
  std::vector<std::uint64_t> sample;
  for (std::size_t document = 0; document < views.size(); document += step) sample.push_back(views[document]);
  std::sort(sample.begin(), sample.end(), std::greater<>());
  return sample;
}

using Histogram = std::array<std::uint64_t, 256>;

/// Returns the languages in which items are stemmed, sorted by descending number of items, then by name.
std::vector<text::Language> sort_languages(const Histogram& items) {
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

ViewCounts::ViewCounts(std::vector<std::uint64_t> views) : views_(std::move(views)) {
  const std::vector<std::uint64_t> sample = sample_views(views_);
  for (const std::size_t fraction : kTierFractions) {
    const std::uint64_t min_views = sample.size() < fraction ? 0 : sample[sample.size() / fraction - 1];
    const bool is_known = !tiers_.empty() && tiers_.back().min_views == min_views;
    if (min_views == 0 || is_known) continue;  // tier would contain all documents, or equal the one before
    tiers_.push_back({min_views, DocumentSet(static_cast<std::uint32_t>(views_.size()))});
  }
  if (tiers_.empty()) return;
  for (std::uint32_t document = 0; document < views_.size(); ++document)
    for (auto tier = tiers_.rbegin(); tier != tiers_.rend() && views_[document] >= tier->min_views; ++tier)
      tier->documents.insert(document);
}

void count_documents(Snapshot& snapshot) {
  Histogram items{};
  snapshot.documents = 0;
  for (const LiveSegment& each : snapshot.segments) {
    const auto languages = each.segment->columns().languages();
    for (const std::uint8_t language : languages) ++items[language];
    each.deleted->for_each([&](std::uint32_t document) { --items[languages[document]]; });
    snapshot.documents += each.documents();
  }
  snapshot.languages = sort_languages(items);
  const auto min_items = text::kMinLanguageShare * static_cast<double>(snapshot.documents);
  const auto first_minor = std::find_if(snapshot.languages.begin(), snapshot.languages.end(), [&](text::Language each) {
    return static_cast<double>(items[static_cast<std::size_t>(each)]) < min_items;
  });
  const auto count = std::min<std::ptrdiff_t>(first_minor - snapshot.languages.begin(), text::kMaxQueryLanguages);
  snapshot.other_languages.assign(snapshot.languages.begin() + count, snapshot.languages.end());
  snapshot.languages.resize(static_cast<std::size_t>(count));
}

}  // namespace kbase::native_index
