// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "app/cli/progress.hpp"
#include "domain/base/result.hpp"
#include "ports/driven/content_source.hpp"
#include "ports/driving/content_transfer.hpp"

namespace kbase::cli {

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
  template <class MeantBy>
  static void count(Tallies& tallies, model::TextList members, MeantBy meant_by);

  Tallies ignored_members_, kept_;
};

/// Prints the messages of an import to standard error and writes the rejected lines to a file. Single-threaded.
class ImportLog final : public ports::ImportObserver {
 public:
  /// Opens the file for rejected lines unless `rejects_path` is empty. InvalidArgument: it cannot be written.
  static Result<std::unique_ptr<ImportLog>> open(const std::string& rejects_path);

  void on_progress(const ports::ContentSource& source, std::uint64_t records) override;
  void on_reject(const ports::SourcePosition& position, const ports::Reject& reject) override;
  void on_duplicate(const ports::SourcePosition& position, std::string_view id) override;
  void on_unknown(const ports::ContentRecord& record) override { unknown_.count(record); }
  void on_nothing(const ports::ContentSource& source) override;
  void on_batch(const ports::ImportReport& so_far) override;

  /// Prints the counted messages and flushes the rejected lines. Unavailable: not all of them could be written.
  Status finish();

 private:
  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };

  std::unique_ptr<std::FILE, Close> rejects_;
  std::string rejects_path_;
  Progress progress_{"import"};
  std::uint64_t duplicates_ = 0;
  UnknownMemberCounts unknown_;
};

/// Returns a line such as "added 40, changed 2, unchanged 0, removed 0, rejected 0".
std::string summary_of(const ports::ImportReport& report);

}  // namespace kbase::cli
