// SPDX-License-Identifier: Apache-2.0
#include "domain/usecases/query_candidates.hpp"

#include <algorithm>
#include <span>
#include <utility>

namespace kbase::usecases {

QueryCandidates::QueryCandidates(std::uint32_t min_clients, std::size_t max_bytes) : max_clients_(min_clients - 1) {
  const std::size_t bytes = kGroup * (sizeof(Place) + max_clients_ * sizeof(std::uint32_t));
  places_.resize(kGroup * std::max<std::size_t>(1, max_bytes / bytes));
  clients_.resize(places_.size() * max_clients_);
}

std::size_t QueryCandidates::first_client(const Place& place) const {
  return static_cast<std::size_t>(&place - places_.data()) * max_clients_;
}

bool QueryCandidates::has_client(const Place& place, std::uint32_t client) const {
  const auto clients = std::span(clients_).subspan(first_client(place), place.clients);
  return std::find(clients.begin(), clients.end(), client) != clients.end();
}

std::vector<DayCounts> QueryCandidates::add(std::uint64_t id, std::optional<std::uint32_t> client,
                                            const DayCounts& counts) {
  const std::span<Place> group = std::span(places_).subspan(id % (places_.size() / kGroup) * kGroup, kGroup);
  const auto is_of_query = [id](const Place& each) { return each.last != 0 && each.id == id; };
  auto place = std::find_if(group.begin(), group.end(),
                            [&](const Place& each) { return is_of_query(each) && each.counts.day == counts.day; });
  if (place == group.end()) {
    place = std::min_element(group.begin(), group.end(), [](const auto& a, const auto& b) { return a.last < b.last; });
    *place = {id, {counts.day}};
  }
  if (++time_ == 0) time_ = 1;
  place->last = time_;
  place->counts.add(counts);

  if (!client) return {};
  std::size_t known_clients = 0;
  for (const Place& each : group) {
    if (!is_of_query(each)) continue;
    if (has_client(each, *client)) return {};
    known_clients += each.clients;
  }
  if (known_clients < max_clients_) {
    clients_[first_client(*place) + place->clients++] = *client;
    return {};
  }
  std::vector<DayCounts> days;
  for (Place& each : group)
    if (is_of_query(each)) days.push_back(std::exchange(each, {}).counts);
  return days;
}

}  // namespace kbase::usecases
