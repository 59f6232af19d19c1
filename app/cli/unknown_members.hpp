// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "ports/driven/content_source.hpp"

namespace kbase::cli {

/// Counts the records with unknown members, by member name. Otherwise a misspelled member would be ignored silently.
/// Single-threaded.
class UnknownMembers {
 public:
  void count(const ports::ContentRecord& record);

  /// Returns a line for each of the most frequent unknown members, with the known member that was probably meant.
  /// Members stored as metadata are listed only if their name is similar to a known one.
  std::vector<std::string> lines() const;

 private:
  struct Tally {
    std::uint64_t records = 0;
    std::string meant;  ///< for the kind of the first record that has it; empty: unknown
  };
  using Tallies = std::unordered_map<std::string, Tally>;  // by member name
  template <class MeantBy>
  static void count(Tallies& tallies, model::TextList members, MeantBy meant_by);

  Tallies passed_over_, kept_;
};

}  // namespace kbase::cli
