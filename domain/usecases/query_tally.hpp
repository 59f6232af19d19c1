// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "domain/model/api_key.hpp"
#include "domain/model/day.hpp"
#include "domain/usecases/query_candidates.hpp"

namespace kbase::usecases {

struct TalliedQuery {
  std::string query;
  DayCounts counts;
};

/// Counts searches in bounded memory, and gives out only the queries that enough different clients asked.
///
/// The last search of a client counts once it has ended: with a different one, or after kSearchEnd. A search whose text
/// begins with the one before, or the other way round, replaces it, because a box that searches while a person types
/// sends "r", "ra" and "rat". A query that not enough clients asked is forgotten when memory is short or the process
/// ends.
///
/// Not thread-safe.
class QueryTally {
 public:
  /// When a search without a further one ends.
  static constexpr std::chrono::seconds kSearchEnd{30};

  struct Limits {
    std::uint32_t min_clients = 3;
    std::size_t max_bytes = std::size_t{48} << 20;  ///< of the queries, as an estimate
  };

  /// `seed`: random, so that the hashes of clients have no meaning elsewhere.
  QueryTally(const Limits& limits, std::uint64_t seed);

  /// Enough clients asked the query before, perhaps in another process.
  void release(std::string_view query);

  /// Notes a search for a normalised query.
  void record_search(const model::ClientId& client, std::string_view query, bool has_result, model::Instant now);

  /// Notes that a client read a result of its search with this id, if that is its last one.
  /// Returns whether it was noted.
  bool record_click(const model::ClientId& client, std::uint64_t id);

  /// Counts the searches that have ended. With `all`, also those that have not.
  void end_searches(model::Instant now, bool all = false);

  /// Returns the new counts of the queries that enough clients asked.
  std::vector<TalliedQuery> take();

  /// Adds counts that take() returned and that could not be stored.
  void give_back(std::vector<TalliedQuery> counts);

  /// Id of the searches for a query.
  static std::uint64_t id_of(std::string_view query);

 private:
  /// The last search of a client.
  struct Search {
    model::ClientId client{};
    std::string query;
    std::uint64_t id = 0;
    model::Instant at{};
    bool is_open = false;  ///< is not counted yet
    bool has_result = false;
    bool has_click = false;
  };

  /// A query that enough clients asked.
  struct Query {
    bool is_changed = false;      // is one of changed_
    std::vector<DayCounts> days;  // new counts
  };

  /// A text whose hash is known.
  struct Lookup {
    std::string_view text;
    std::uint64_t id = 0;  ///< id_of(text)
  };
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(const std::string& text) const { return static_cast<std::size_t>(id_of(text)); }
    std::size_t operator()(const Lookup& lookup) const { return static_cast<std::size_t>(lookup.id); }
  };
  struct Equal {
    using is_transparent = void;
    bool operator()(const std::string& a, const std::string& b) const { return a == b; }
    bool operator()(const Lookup& a, const std::string& b) const { return a.text == b; }
    bool operator()(const std::string& a, const Lookup& b) const { return a == b.text; }
  };
  using Queries = std::unordered_map<std::string, Query, Hash, Equal>;

  std::uint64_t hash_of(const model::ClientId& client) const;
  Search& slot_of(const model::ClientId& client) { return searches_[hash_of(client) % searches_.size()]; }
  void end(Search& search);
  Queries::value_type* find_released(const Lookup& lookup);
  Queries::value_type& add_released(std::string_view text);
  void make_place_for(std::string_view text);
  void count(const Lookup& lookup, std::optional<std::uint32_t> client, const DayCounts& counts);
  void add_counts(Queries::value_type& query, const DayCounts& counts);
  void start_generation();
  void take_changed();

  const Limits limits_;
  const std::uint64_t seed_;
  std::vector<Search> searches_;  // a client has one place
  QueryCandidates candidates_;
  // Queries that enough clients asked: those that were asked since the last change of generations, those of the
  // generation before, and those that take() frees, because to free many takes long.
  Queries recent_, older_, forgotten_;
  std::size_t recent_bytes_ = 0;
  std::vector<Queries::value_type*> changed_;
  std::vector<TalliedQuery> waiting_;  // new counts that are not in `days`
};

}  // namespace kbase::usecases
