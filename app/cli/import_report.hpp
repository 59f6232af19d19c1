// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>

#include "app/cli/progress.hpp"
#include "app/cli/unknown_members.hpp"
#include "domain/model/result.hpp"
#include "ports/driving/content_transfer.hpp"

namespace kbase::cli {

/// Prints the messages of an import to standard error and writes the rejected lines to a file. Single-threaded.
class ImportLog final : public ports::ImportObserver {
 public:
  /// Opens the file for rejected lines unless `rejects_path` is empty. InvalidArgument: it cannot be written.
  static model::Result<std::unique_ptr<ImportLog>> open(const std::string& rejects_path);

  void on_progress(const ports::ContentSource& source, std::uint64_t records) override;
  void on_reject(const ports::Place& place, const ports::Reject& reject) override;
  void on_duplicate(const ports::Place& place, std::string_view id) override;
  void on_unknown(const ports::ContentRecord& record) override { unknown_.count(record); }
  void on_nothing(const ports::ContentSource& source) override;
  void on_batch(const ports::ImportReport& so_far) override;

  /// Prints the counted messages and flushes the rejected lines. Unavailable: not all of them could be written.
  model::Status finish();

 private:
  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };

  std::unique_ptr<std::FILE, Close> rejects_;
  std::string rejects_path_;
  Progress progress_{"import"};
  std::uint64_t duplicates_ = 0;
  UnknownMembers unknown_;
};

/// Returns a line such as "added 40, changed 2, unchanged 0, removed 0, rejected 0".
std::string summary_of(const ports::ImportReport& report);

}  // namespace kbase::cli
