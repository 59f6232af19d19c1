// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "adapters/opensearch/server.hpp"
#include "adapters/opensearch/state.hpp"
#include "adapters/text/language.hpp"

namespace kbase::opensearch {

/// Summary of one published state.
struct Contents {
  FoundState found;
  std::uint64_t documents = 0;
  std::uint64_t largest = 0;              ///< title and content of the longest item, in bytes
  std::vector<text::Language> languages;  ///< languages whose stemmers apply to queries

  /// Whether this summary is of the state `other`. Ignores counted views, which change neither items nor languages.
  bool is_of(const FoundState& other) const;
};

/// Aggregation for a search's `aggs` that returns the state of the index together with the result. aggregated_state()
/// reads it.
Json state_aggregation();
/// Returns the state in a search response. nullopt: it contains no state, or more than one.
std::optional<FoundState> aggregated_state(const Json& answer);

/// Reads the published state. Thread-safe.
///
/// Copies of an index publish a few milliseconds apart. Related requests go to the same copy (parameter `preference`),
/// which never goes back in time.
class Reader {
 public:
  /// `server` must outlive the reader. `name` distinguishes this process from others, which can use other copies.
  Reader(const Server& server, std::string alias, std::string name)
      : server_(server), alias_(std::move(alias)), name_(std::move(name)) {}

  /// Returns "/ALIAS/_search" with the preferred copy and a filter that reduces the response to the members that are
  /// read.
  std::string search_path() const;

  /// Returns "preference=..." with the preferred copy, also for "/ALIAS/_count".
  std::string copy() const;

  /// Switches to another copy, if there is one.
  void turn_to_another_copy() { ++turns_; }

  /// Reads only the state, which can be open. NotFound: there is none.
  model::Result<FoundState> published(ports::Call& call) const;

  /// Reads only the state. NotFound: there is none, or it is open (a batch is incomplete).
  model::Result<FoundState> state(ports::Call& call) const;

  /// Reads and caches the summary of the published state. NotFound: see state().
  model::Result<std::shared_ptr<const Contents>> look(ports::Call& call);

  /// Returns the cached summary; reads it if there is none. NotFound: see state().
  model::Result<std::shared_ptr<const Contents>> last(ports::Call& call);

  /// Returns the summary of `found`: the cached one if it is of that state, else reads it.
  model::Result<std::shared_ptr<const Contents>> contents_of(ports::Call& call, const FoundState& found);

 private:
  std::shared_ptr<const Contents> known() const;

  const Server& server_;
  const std::string alias_;
  const std::string name_;
  std::atomic<unsigned> turns_ = 0;
  mutable std::mutex mutex_;
  std::shared_ptr<const Contents> known_;  // cached summary; null: none yet
};

}  // namespace kbase::opensearch
