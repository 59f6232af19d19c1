// SPDX-License-Identifier: Apache-2.0
#include "domain/usecases/query_tally.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

namespace kbase::usecases {
namespace {

constexpr std::size_t kSearches = 8192;
constexpr std::size_t kMaxWaiting = 50'000;  // counts that wait for the store
constexpr std::size_t kQueryBytes = 240;     // of a released query besides its text: node, counts and their heads
constexpr std::size_t kParts = 4;            // of the memory: three generations and the candidates

/// Spreads a number over all bits: the last step of MurmurHash3.
std::uint64_t mix(std::uint64_t value) {
  value = (value ^ (value >> 33U)) * 0xff51afd7ed558ccdU;
  value = (value ^ (value >> 33U)) * 0xc4ceb9fe1a85ec53U;
  return value ^ (value >> 33U);
}

/// Mixes eight bytes at a time, the last ones filled up with zeros, and the size.
std::uint64_t hash(std::uint64_t seed, const void* bytes, std::size_t size) {
  std::uint64_t value = mix(seed + size);
  const char* next = static_cast<const char*>(bytes);
  for (std::size_t left = size; left > 0;) {
    std::uint64_t word = 0;
    const std::size_t taken = std::min(left, sizeof word);
    std::memcpy(&word, next, taken);
    value = mix(value ^ word);
    next += taken;
    left -= taken;
  }
  return value;
}

bool is_typed_on(std::string_view before, std::string_view now) {
  return now.starts_with(before) || before.starts_with(now);
}

}  // namespace

QueryTally::QueryTally(const Limits& limits, std::uint64_t seed)
    : limits_(limits), seed_(seed), searches_(kSearches), candidates_(limits.min_clients, limits.max_bytes / kParts) {
  // Growing would move all queries during a search.
  recent_.reserve(limits.max_bytes / kParts / kQueryBytes);
  older_.reserve(recent_.bucket_count());
}

std::uint64_t QueryTally::id_of(std::string_view query) { return hash(0, query.data(), query.size()); }

std::uint64_t QueryTally::hash_of(const model::ClientId& client) const {
  return hash(seed_, client.data(), client.size());
}

void QueryTally::release(std::string_view text) {
  if (find_released({text, id_of(text)}) == nullptr) add_released(text);
}

void QueryTally::record_search(const model::ClientId& client, std::string_view query, bool has_result,
                               model::Instant now) {
  Search& search = slot_of(client);
  const bool goes_on = search.is_open && search.client == client && !search.has_click && now - search.at < kSearchEnd &&
                       is_typed_on(search.query, query);
  if (search.is_open && !goes_on) end(search);
  search.client = client;
  search.query.assign(query);
  search.id = id_of(query);
  search.at = now;
  search.is_open = true;
  search.has_result = has_result;
  search.has_click = false;
}

bool QueryTally::record_click(const model::ClientId& client, std::uint64_t id) {
  Search& search = slot_of(client);
  if (search.client != client || search.id != id || search.has_click || search.query.empty()) return false;
  search.has_click = true;
  if (!search.is_open) count({search.query, id}, {}, {model::day_of(search.at), 0, 0, 1});
  return true;
}

void QueryTally::end(Search& search) {
  search.is_open = false;
  count({search.query, search.id}, static_cast<std::uint32_t>(hash_of(search.client)),
        {model::day_of(search.at), 1, search.has_result ? 0U : 1U, search.has_click ? 1U : 0U});
}

void QueryTally::count(const Lookup& lookup, std::optional<std::uint32_t> client, const DayCounts& counts) {
  if (Queries::value_type* const query = find_released(lookup); query != nullptr) return add_counts(*query, counts);
  const std::vector<DayCounts> days = candidates_.add(lookup.id, client, counts);
  if (days.empty()) return;
  Queries::value_type& query = add_released(lookup.text);
  for (const DayCounts& day : days) add_counts(query, day);
}

void QueryTally::add_counts(Queries::value_type& query, const DayCounts& counts) {
  std::vector<DayCounts>& days = query.second.days;
  const auto known = std::find_if(days.begin(), days.end(), [&](const auto& each) { return each.day == counts.day; });
  (known != days.end() ? *known : days.emplace_back(DayCounts{counts.day})).add(counts);
  if (!std::exchange(query.second.is_changed, true)) changed_.push_back(&query);
}

void QueryTally::end_searches(model::Instant now, bool all) {
  for (Search& search : searches_)
    if (search.is_open && (all || now - search.at >= kSearchEnd)) end(search);
}

QueryTally::Queries::value_type* QueryTally::find_released(const Lookup& lookup) {
  if (const auto known = recent_.find(lookup); known != recent_.end()) return &*known;
  const auto known = older_.find(lookup);
  if (known == older_.end()) return nullptr;
  auto node = older_.extract(known);
  make_place_for(lookup.text);
  return &*recent_.insert(std::move(node)).position;
}

QueryTally::Queries::value_type& QueryTally::add_released(std::string_view text) {
  make_place_for(text);
  return *recent_.try_emplace(std::string(text)).first;
}

void QueryTally::make_place_for(std::string_view text) {
  if (recent_bytes_ >= limits_.max_bytes / kParts) start_generation();
  recent_bytes_ += kQueryBytes + text.size();
}

/// Forgets the older generation.
void QueryTally::start_generation() {
  take_changed();
  forgotten_.clear();
  std::swap(forgotten_, older_);
  std::swap(older_, recent_);
  recent_bytes_ = 0;
}

/// Moves the new counts of released queries to waiting_, or drops them if too many wait for the store.
void QueryTally::take_changed() {
  for (Queries::value_type* const changed : changed_) {
    for (const DayCounts& day : changed->second.days)
      if (waiting_.size() < kMaxWaiting) waiting_.push_back({changed->first, day});
    changed->second.days.clear();
    changed->second.is_changed = false;
  }
  changed_.clear();
}

std::vector<TalliedQuery> QueryTally::take() {
  take_changed();
  forgotten_.clear();
  return std::exchange(waiting_, {});
}

void QueryTally::give_back(std::vector<TalliedQuery> counts) {
  for (TalliedQuery& each : counts)
    if (waiting_.size() < kMaxWaiting) waiting_.push_back(std::move(each));
}

}  // namespace kbase::usecases
