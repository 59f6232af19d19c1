// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "domain/model/day.hpp"

namespace kbase::usecases {

/// Counts of a query on a day.
struct DayCounts {
  model::Day day{};
  std::uint64_t searches = 0, without_result = 0, with_click = 0;

  void add(const DayCounts& other) {
    searches += other.searches;
    without_result += other.without_result;
    with_click += other.with_click;
  }
};

/// Counts of queries that not enough different clients asked, without their texts, in a table of fixed size. What was
/// asked longest ago is forgotten when there is no place. Not thread-safe.
class QueryCandidates {
 public:
  /// `min_clients`: at least 1. Uses at most `max_bytes`, but at least one group of places.
  QueryCandidates(std::uint32_t min_clients, std::size_t max_bytes);

  /// Adds counts of one day. `id`: hash of the query, spread over all bits. `client`: hash of who searched. Once enough
  /// clients asked the query, returns its counts by day and forgets it; else returns nothing.
  std::vector<DayCounts> add(std::uint64_t id, std::optional<std::uint32_t> client, const DayCounts& counts);

 private:
  static constexpr std::size_t kGroup = 8;  // places in which a query can be

  /// Counts of a query on a day. Queries that were asked on several days have several.
  struct Place {
    std::uint64_t id = 0;
    DayCounts counts;
    std::uint32_t clients = 0;  // how many of its places in clients_ are used; each client is in one place of a query
    std::uint32_t last = 0;     // value of time_ when it was asked last; 0: free
  };

  std::size_t first_client(const Place& place) const;
  bool has_client(const Place& place, std::uint32_t client) const;

  const std::size_t max_clients_;  // of a query that is not released
  std::vector<Place> places_;
  std::vector<std::uint32_t> clients_;  // max_clients_ for each place
  std::uint32_t time_ = 0;
};

}  // namespace kbase::usecases
