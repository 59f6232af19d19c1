// SPDX-License-Identifier: Apache-2.0
#include "app/runtime/insight_collector.hpp"

#include <algorithm>
#include <charconv>
#include <tuple>
#include <utility>
#include <vector>

#include "domain/base/encoding.hpp"
#include "domain/base/result.hpp"
#include "domain/base/text.hpp"

namespace kbase::runtime {
namespace {

constexpr std::size_t kIdDigits = 16;

/// Number of rows in one call of the store.
constexpr std::size_t kRows = 1000;

void count(ports::Counter* counter) {
  if (counter != nullptr) counter->add(1);
}

std::string format_id(std::uint64_t id) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text(kIdDigits, '0');
  for (auto digit = text.rbegin(); digit != text.rend(); ++digit, id >>= 4U) *digit = kDigits[id & 15U];
  return text;
}

/// Writes the text with one space in place of blanks and control characters, and with small ASCII letters.
std::string collapse_space(std::string_view text) {
  std::string collapsed(text.size(), ' ');
  auto end = collapsed.begin();
  bool is_after_word = false;
  for (const char c : text) {
    const bool is_space = static_cast<unsigned char>(c) <= 0x20;
    if (!is_space || is_after_word) *end++ = is_space ? ' ' : ascii::to_lower(c);
    is_after_word = !is_space;
  }
  if (end != collapsed.begin() && !is_after_word) --end;
  collapsed.erase(end, collapsed.end());
  return collapsed;
}

}  // namespace

InsightCollector::InsightCollector(Dependencies dependencies, const usecases::QueryTally::Limits& limits,
                                   std::uint64_t seed, Counters counters)
    : deps_(std::move(dependencies)), counters_(counters), tally_(limits, seed) {}

std::string InsightCollector::normalize(std::string_view query) const {
  std::string collapsed = collapse_space(query);
  const bool is_ascii =
      std::all_of(collapsed.begin(), collapsed.end(), [](char c) { return static_cast<unsigned char>(c) < 0x80; });
  if (!is_ascii) collapsed = collapse_space(deps_.fold(collapsed));
  if (collapsed.size() > model::kMaxQueryBytes) collapsed.clear();
  return collapsed;
}

void InsightCollector::record_search(const model::ClientId& client, std::string_view normalized, bool has_result) {
  count(counters_.searches);
  if (!has_result) count(counters_.searches_without_result);
  const std::lock_guard lock(mutex_);
  tally_.record_search(client, normalized, has_result, deps_.clock.now());
}

std::string InsightCollector::search_id(std::string_view normalized) const {
  return format_id(usecases::QueryTally::id_of(normalized));
}

void InsightCollector::record_click(const model::ClientId& client, std::string_view search_id) {
  std::uint64_t id = 0;
  const auto parsed = std::from_chars(search_id.data(), search_id.data() + search_id.size(), id, 16);
  if (parsed.ec != std::errc() || search_id.size() != kIdDigits || parsed.ptr != search_id.data() + kIdDigits) return;
  const std::lock_guard lock(mutex_);
  if (tally_.record_click(client, id)) count(counters_.clicks);
}

Status InsightCollector::give_feedback(ports::Call& call, const model::ClientId& client, std::string_view item,
                                       bool is_helpful, std::string_view comment) {
  if (comment.size() > model::kMaxCommentBytes)
    return invalid_argument("comment", "comment must have at most 2,000 bytes");
  const model::Day today = model::day_of(deps_.clock.now());
  KBASE_TRY(deps_.store.put_feedback(call, {item, today, reader_of(client, item, today), is_helpful, comment}));
  count(is_helpful ? counters_.helpful : counters_.not_helpful);
  return {};
}

/// Returns the hash of who says something of an item. It differs for each item and day, so that it does not connect
/// what a reader said of several. It has a key, so that the store does not show who it was to someone who tries all
/// addresses.
model::ClientId InsightCollector::reader_of(const model::ClientId& client, std::string_view item,
                                            model::Day day) const {
  const auto hash = deps_.digest.sha256(to_hex(client) + model::format_day(day) + std::string(item));
  const ports::Signature signature =
      deps_.signatures.of("feedback:" + std::string(reinterpret_cast<const char*>(hash.data()), hash.size()));
  model::ClientId reader;
  static_assert(std::tuple_size_v<ports::Signature> == 2 * std::tuple_size_v<model::ClientId>);
  parse_hex({signature.data(), signature.size()}, reader);
  return reader;
}

Status InsightCollector::load(ports::Call& call, std::chrono::days keep) {
  const model::Day today = model::day_of(deps_.clock.now());
  const std::lock_guard lock(mutex_);
  return deps_.store.queries(call, today - keep, today, [this](const model::QueryCount& known) {
    tally_.release(known.query);
    return Visit::Continue;
  });
}

Status InsightCollector::store(ports::Call& call, bool at_end) {
  std::vector<usecases::TalliedQuery> counts;
  {
    const std::lock_guard lock(mutex_);
    tally_.end_searches(deps_.clock.now(), at_end);
    counts = tally_.take();
  }
  while (!counts.empty()) {
    const std::size_t size = std::min(counts.size(), kRows);
    std::vector<model::QueryCount> rows;
    for (const usecases::TalliedQuery& each : std::span(counts).last(size))
      rows.push_back(
          {each.query, each.counts.day, each.counts.searches, each.counts.without_result, each.counts.with_click});
    const Status stored = deps_.store.add_queries(call, rows);
    if (!stored) {
      const std::lock_guard lock(mutex_);
      tally_.give_back(std::move(counts));
      return stored;
    }
    counts.resize(counts.size() - size);
  }
  return {};
}

Status InsightCollector::clean_up(ports::Call& call, std::chrono::days keep) {
  const model::Day today = model::day_of(deps_.clock.now());
  return deps_.store.forget(call, today - keep, today);
}

}  // namespace kbase::runtime
