// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "domain/base/result.hpp"
#include "ports/driven/activity_store.hpp"
#include "ports/driven/crypto.hpp"

namespace kbase::runtime {

/// Write-ahead files for views on their way to the ActivityStore; they survive a killed process. Each segment file
/// corresponds to one ActivityStore::add(). Its name contains the journal id and the sequence number, so that the store
/// recognizes a segment that was added but not removed before a crash. After a long outage of the store there are many
/// segments, each small enough for one add(). Waiting segments use no memory.
///
/// Layout of a segment: records of { u32 length of what follows the checksum, u32 CRC-32 of it, i32 day since
/// 1970-01-01, u64 views, item id }; integers are little-endian. Reading stops at the first incomplete or damaged
/// record.
/// Not thread-safe.
class ViewJournal {
 public:
  /// Records per segment; any store adds this many in far less time than the timeout.
  static constexpr std::size_t kMaxRecords = 10'000;

  /// A complete segment, ready to be added to the store.
  struct Segment {
    ports::JournalId journal{};
    std::uint64_t sequence = 0;
    std::filesystem::path path;
  };

  struct Increment {
    std::string item;
    model::Day day;
    std::uint64_t views = 0;
  };

  /// Opens `folder` for a new journal and creates it if it is missing. Error: Unavailable.
  static Result<ViewJournal> open(std::filesystem::path folder, ports::Random& random);

  ViewJournal(ViewJournal&& other) noexcept;
  ViewJournal& operator=(ViewJournal&&) = delete;
  ~ViewJournal();

  /// Returns the segments of earlier processes, in the order in which to add them. Call it before the first append().
  Result<std::vector<Segment>> find_leftover_segments() const;

  /// Appends at most kMaxRecords increments to the open segment, or to a new one if they do not fit. They then survive
  /// the process, and a power failure once the store has them. Error: Unavailable if the disk is full or missing; then
  /// none of the increments is kept.
  Status append(std::span<const ports::ViewIncrement> increments);

  const ports::JournalId& id() const noexcept { return id_; }

  /// Returns the sequence number of the open segment.
  std::uint64_t open_sequence() const noexcept { return sequence_; }

  /// Returns the oldest segment that was not discarded. If that is the open segment, closes it first, so that segments
  /// are not smaller than necessary. nullopt: the open segment is empty.
  std::optional<Segment> close_oldest();

  /// Returns the segment's views, summed by item and day. A missing file is an empty segment. Thread-safe. Error:
  /// Unavailable if the file cannot be read; it must be kept.
  static Result<std::vector<Increment>> read(const Segment& segment);

  /// Removes a segment that the store has added.
  void discard(const Segment& segment);

 private:
  ViewJournal(std::filesystem::path folder, ports::JournalId id) : folder_(std::move(folder)), id_(id) {}

  void close_segment();
  std::filesystem::path segment_path(std::uint64_t sequence) const;

  std::filesystem::path folder_;
  ports::JournalId id_;
  std::uint64_t oldest_sequence_ = 1;
  std::uint64_t sequence_ = 1;
  std::uint64_t size_ = 0;   // bytes of complete records in the open segment
  std::size_t records_ = 0;  // records in the open segment
  int file_ = -1;
};

}  // namespace kbase::runtime
