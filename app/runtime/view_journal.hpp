// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "domain/model/result.hpp"
#include "ports/driven/activity_store.hpp"
#include "ports/driven/random.hpp"

namespace kbase::runtime {

/// Views on their way to the ActivityStore, in files that outlive a killed process. Each segment file is one `add` of
/// the store: its name holds the journal's id and the sequence, so that a segment that was added but not yet removed
/// when the process died is recognised by the store. A store that was away for long finds many segments, each of a size
/// that it takes at once; of those that wait, memory holds nothing.
///
/// Layout of a segment: records of { u32 length of what follows the checksum, u32 CRC-32 of it, i32 day since
/// 1970-01-01, u64 views, item id }, numbers little-endian. Reading stops at the first record that is torn.
/// One thread at a time.
class ViewJournal {
 public:
  /// So many are added by any store in far less time than it is given.
  static constexpr std::size_t kMostRecords = 10'000;

  /// A segment that is complete and may be added to the store.
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

  /// Opens the folder (made where it is missing) for a new journal.
  static model::Result<ViewJournal> open(std::filesystem::path folder, ports::Random& random);

  ViewJournal(ViewJournal&& other) noexcept;
  ViewJournal& operator=(ViewJournal&&) = delete;
  ~ViewJournal();

  /// What earlier processes left, in the order to add it. Call before the first append.
  model::Result<std::vector<Segment>> leftovers() const;

  /// Writes the increments, kMostRecords at most, to the open segment, or to a new one where it has no room for all.
  /// They survive the process from then on, and a power failure once the store has them. Unavailable: the disk is full
  /// or gone; nothing of them was kept.
  model::Status append(std::span<const ports::ViewIncrement> increments);

  const ports::JournalId& id() const noexcept { return id_; }

  /// The sequence of the open segment.
  std::uint64_t newest() const noexcept { return sequence_; }

  /// The first segment that was not discarded. The open one is ended where it comes first, so that segments don't get
  /// smaller than they have to; none while that is empty.
  std::optional<Segment> oldest();

  /// The segment's views, added up by item and day. Any thread. Unavailable: it can't be read, and has to be kept.
  static model::Result<std::vector<Increment>> read(const Segment& segment);

  /// The store has it.
  void discard(const Segment& segment);

 private:
  ViewJournal(std::filesystem::path folder, ports::JournalId id) : folder_(std::move(folder)), id_(id) {}

  void end_open();
  std::filesystem::path path_of(std::uint64_t sequence) const;

  std::filesystem::path folder_;
  ports::JournalId id_;
  std::uint64_t oldest_ = 1;
  std::uint64_t sequence_ = 1;
  std::uint64_t size_ = 0;   // bytes of whole records in the open segment
  std::size_t records_ = 0;  // in it
  int file_ = -1;
};

}  // namespace kbase::runtime
