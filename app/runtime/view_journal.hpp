// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "domain/model/result.hpp"
#include "ports/driven/activity_store.hpp"
#include "ports/driven/random.hpp"

namespace kbase::runtime {

/// Views on their way to the ActivityStore, in files that outlive a killed process. Each segment file is one `add` of
/// the store: its name holds the journal's id and the sequence, so that a segment that was added but not yet removed
/// when the process died is recognised by the store.
///
/// Layout of a segment: records of { u32 length of what follows the checksum, u32 CRC-32 of it, i32 day since
/// 1970-01-01, u64 views, item id }, numbers little-endian. Reading stops at the first record that is torn.
/// One thread at a time.
class ViewJournal {
 public:
  /// A segment that is complete and may be added to the store.
  struct Segment {
    struct Increment {
      std::string item;
      model::Day day;
      std::uint64_t views = 0;
    };

    ports::JournalId journal{};
    std::uint64_t sequence = 0;
    std::filesystem::path path;
    std::vector<Increment> increments;
  };

  /// Opens the folder (made where it is missing) for a new journal.
  static model::Result<ViewJournal> open(std::filesystem::path folder, ports::Random& random);

  ViewJournal(ViewJournal&& other) noexcept;
  ViewJournal& operator=(ViewJournal&&) = delete;
  ~ViewJournal();

  /// What earlier processes left, in the order to add it. Call before the first append.
  model::Result<std::vector<Segment>> leftovers() const;

  /// Writes the increments to the open segment. They survive the process from then on, and a power failure once the
  /// store has them. Unavailable: the disk is full or gone; nothing of them was kept.
  model::Status append(std::span<const ports::ViewIncrement> increments);

  /// Ends the open segment, so that the next append begins another. False: it is empty and stays.
  model::Result<bool> seal(Segment& sealed);

  /// The store has it.
  static void discard(const Segment& segment);

 private:
  ViewJournal(std::filesystem::path folder, ports::JournalId id) : folder_(std::move(folder)), id_(id) {}

  std::filesystem::path path_of(std::uint64_t sequence) const;

  std::filesystem::path folder_;
  ports::JournalId id_;
  std::uint64_t sequence_ = 1;
  std::uint64_t size_ = 0;  // bytes of whole records in the open segment
  int file_ = -1;
};

}  // namespace kbase::runtime
