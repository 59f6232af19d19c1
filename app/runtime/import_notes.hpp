// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "domain/model/item.hpp"
#include "ports/driven/content_source.hpp"

/// What an import reports besides its counts and rejected records, for the command line and for clients.
namespace kbase::runtime {

/// Counts the records with unknown members, by member name. Otherwise a misspelled member would be ignored silently.
/// Single-threaded.
class UnknownMemberCounts {
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
  template <class MeantBy> static void count(Tallies& tallies, model::TextList members, MeantBy meant_by);

  Tallies ignored_members_, kept_;
};

/// Returns the notes of a source, in lines.
std::vector<std::string> describe(const ports::SourceNotes& notes);

/// Says that a record replaces an earlier one of its source.
std::string duplicate_note(std::string_view id);

/// Says that a source has no records.
std::string nothing_note(const ports::ContentSource& source);

}  // namespace kbase::runtime
