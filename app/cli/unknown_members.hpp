// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "ports/driven/content_source.hpp"

namespace kbase::cli {

/// Counts the records that have members which kbase knows nothing of, by member, since a misspelt one is lost without a
/// word otherwise. One thread.
class UnknownMembers {
 public:
  void count(const ports::ContentRecord& record);

  /// A line for each of the members that most records have, with the one that it was probably meant to be. Of those
  /// that were kept only such as are near one.
  std::vector<std::string> lines() const;

 private:
  struct Tally {
    std::uint64_t records = 0;
    std::string meant;  ///< of a record like the first one that has it; empty: nobody knows
  };
  using Tallies = std::unordered_map<std::string, Tally>;  // by member
  template <class MeantBy>
  static void count(Tallies& tallies, model::TextList members, MeantBy meant_by);

  Tallies passed_over_, kept_;
};

}  // namespace kbase::cli
