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

/// What one published state has.
struct Contents {
  FoundState found;
  std::uint64_t documents = 0;
  std::uint64_t largest = 0;              ///< bytes of the texts of the longest item
  std::vector<text::Language> languages;  ///< that the words of queries are stemmed in

  /// Whether what was found is of this state; counted views aside, which change neither items nor languages.
  bool is_of(const FoundState& other) const;
};

/// The part of a search's `aggs` that tells, with the answer, the state that it is of, and what finds it there.
Json state_aggregation();
/// nullopt: it names none, or more than one.
std::optional<FoundState> aggregated_state(const Json& answer);

/// Looks at what is published. Any thread.
///
/// Copies of an index publish some milliseconds apart. What is asked several things is asked of one copy (`preference`
/// chooses it), which does not go back in time.
class Reader {
 public:
  /// `server` outlives it. `name` tells it from other processes, which may look at other copies.
  Reader(const Server& server, std::string alias, std::string name)
      : server_(server), alias_(std::move(alias)), name_(std::move(name)) {}

  /// "/ALIAS/_search" for answers with no more in them than is read, of the copy that is looked at.
  std::string search_path() const;

  /// "preference=...", the same for "/ALIAS/_count".
  std::string copy() const;

  /// Looks at another copy from now on, where there is one.
  void turn_to_another_copy() { ++turns_; }

  /// Asks for the state alone, which may be open. NotFound: there is none.
  model::Result<FoundState> published(ports::Call& call) const;

  /// The same where it is whole. NotFound: there is none, or none that is whole.
  model::Result<FoundState> state(ports::Call& call) const;

  /// What is published now. NotFound: as state().
  model::Result<std::shared_ptr<const Contents>> look(ports::Call& call);

  /// What was seen last; asks where nothing was. NotFound: as state().
  model::Result<std::shared_ptr<const Contents>> last(ports::Call& call);

  /// The contents of `found`: those seen last where they are of it.
  model::Result<std::shared_ptr<const Contents>> contents_of(ports::Call& call, const FoundState& found);

 private:
  std::shared_ptr<const Contents> known() const;

  const Server& server_;
  const std::string alias_;
  const std::string name_;
  std::atomic<unsigned> turns_ = 0;
  mutable std::mutex mutex_;
  std::shared_ptr<const Contents> known_;  // null: nothing was seen yet
};

}  // namespace kbase::opensearch
