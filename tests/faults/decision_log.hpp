// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>

namespace kbase::faults {

/// One acquire, as its thread saw it. The record is written before the call and again with the result, into memory
/// that the kernel keeps when the process is killed. An acquire interrupted by a kill has the state Called.
struct DecisionRecord {
  enum State : std::uint8_t { None, Called, Allowed, Denied, Failed };

  std::int64_t earliest_ms = 0;  ///< the store's time of the acquire is between this ...
  std::uint32_t latest = 0;      ///< ... and this many milliseconds later
  std::uint32_t client_id : 24 = 0;
  std::uint32_t state : 8 = None;

  std::int64_t latest_ms() const { return earliest_ms + latest; }
};
static_assert(sizeof(DecisionRecord) == 16);

/// File of records. Exits the program with a message if the file cannot be created or read.
class DecisionLog {
 public:
  /// Creates the file, with records of state None.
  DecisionLog(const std::filesystem::path& path, std::size_t count);
  /// Opens the file that a process left.
  explicit DecisionLog(const std::filesystem::path& path);
  DecisionLog(const DecisionLog&) = delete;
  DecisionLog& operator=(const DecisionLog&) = delete;
  ~DecisionLog();

  std::span<DecisionRecord> records() const { return {records_, count_}; }

 private:
  void map(int file, int protection);

  DecisionRecord* records_ = nullptr;
  std::size_t count_ = 0;
};

}  // namespace kbase::faults
