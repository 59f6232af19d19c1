// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <condition_variable>
#include <cstdint>
#include <filesystem>
#include <mutex>
#include <stop_token>
#include <thread>

#include "adapters/native_index/commits/index_folder.hpp"
#include "ports/driven/event_log.hpp"

namespace kbase::native_index {

/// Merges that are due by choose_merge(), with or without those of all segments; or one of all segments.
enum class MergeScope : std::uint8_t { Tiers, Due, All };

/// Performs the most urgent merge of the current snapshot. Returns true if it merged, so another merge may be due;
/// false if no merge is due. Errors: Conflict if another process writes; Cancelled if `stop` returns true; Corrupt if a
/// segment is damaged, which also marks the snapshot as damaged in `folder`.
Result<bool> merge_once(IndexFolder& folder, MergeScope scope, FunctionRef<bool()> stop);

/// Merges segments on its own low-priority thread when woken. A failure is logged; the next wake-up retries, but not a
/// merge of all segments until the index has grown by a quarter, so that others go on if the disk is too small. Before
/// its first merge it verifies the whole index once, so that damage which no search would reach is found too. The
/// destructor stops the thread within some hundredths of a second.
class BackgroundMerger {
 public:
  /// `folder` and `log` must outlive the object; `log` may be null. `other_formats`: folder for remove_other_formats()
  /// once the index is verified; empty: none.
  BackgroundMerger(IndexFolder& folder, ports::EventLog* log, std::filesystem::path other_formats = {});
  ~BackgroundMerger();

  /// Thread-safe; does not wait for the merge.
  void wake();

 private:
  void run(const std::stop_token& stop);
  void merge(FunctionRef<bool()> stop);
  bool verify_once(FunctionRef<bool()> stop);
  void log_failure(std::string_view event, const Error& error);

  IndexFolder& folder_;
  ports::EventLog* log_;
  const std::filesystem::path other_formats_;
  std::mutex mutex_;
  std::condition_variable_any woken_;
  bool is_woken_ = false;
  std::uint64_t merges_all_from_ = 0;  // documents; used by the thread alone
  std::jthread thread_;
};

}  // namespace kbase::native_index
