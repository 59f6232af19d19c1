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

/// Says on standard error what an import meets, and keeps the rejected lines. One thread.
class ImportLog final : public ports::ImportObserver {
 public:
  /// Opens the file for rejected lines where `rejects_path` is not empty; InvalidArgument: it cannot be written.
  static model::Result<std::unique_ptr<ImportLog>> open(const std::string& rejects_path);

  void on_progress(const ports::ContentSource& source, std::uint64_t records) override;
  void on_reject(const ports::Place& place, const ports::Reject& reject) override;
  void on_duplicate(const ports::Place& place, std::string_view id) override;
  void on_unknown(const ports::ContentRecord& record) override { unknown_.count(record); }
  void on_nothing(const ports::ContentSource& source) override;
  void on_batch(const ports::ImportReport& so_far) override;

  /// Says what was counted, and writes out the rejected lines. Unavailable: the disk did not take them all.
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

/// One line for people: "added 40, changed 2, unchanged 0, removed 0, rejected 0".
std::string summary_of(const ports::ImportReport& report);

}  // namespace kbase::cli
