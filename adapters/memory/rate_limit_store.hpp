// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <atomic>
#include <mutex>
#include <unordered_map>
#include <vector>

#include "adapters/memory/subject_windows.hpp"
#include "ports/driven/clock.hpp"
#include "ports/driven/rate_limit_store.hpp"

namespace kbase::memory {

struct RateLimitOptions {
  /// How many subjects are remembered; at least 1. A subject that was seen takes about 120 bytes, one that uses up a
  /// limit of 300 a minute 4 KiB more for that minute. When all places are taken, a newcomer gets the place of a
  /// subject with nothing counted, else of one that has used little of its limits: it may then exceed them by that
  /// little.
  std::size_t max_subjects = 1'000'000;
};

/// The ledger of one process: exact for as long as the process lives and its table has room.
///
/// Ownership: `clock` outlives the store. Errors: Unavailable where every subject of a full table has used up its
/// limits, for those are never forgotten; earlier takes of the same batch were answered and charged.
class MemoryRateLimitStore final : public ports::RateLimitStore {
 public:
  explicit MemoryRateLimitStore(const ports::Clock& clock, RateLimitOptions options = {});

  Capabilities capabilities() const override;
  model::Status take(ports::Call& call, std::span<const ports::Take* const> takes,
                     std::span<ports::Taken* const> taken) override;
  model::Status health(ports::Call& call) override;

  /// How many subjects were forgotten although something was counted for them. Any thread.
  std::uint64_t forgotten() const { return forgotten_; }

  /// How many subjects are remembered now. Any thread.
  std::size_t size() const;

 private:
  struct SubjectHash {
    std::size_t operator()(const model::Subject& subject) const noexcept;
  };
  using Subjects = std::unordered_map<model::Subject, SubjectWindows, SubjectHash>;

  struct alignas(64) Shard {
    mutable std::mutex mutex;
    Subjects subjects;
    std::size_t hand = 0;  // the bucket at which the next search for a place begins
  };

  model::Result<ports::Taken> take(const ports::Take& take);
  Shard& shard_of(const model::Subject& subject);
  bool make_room(Shard& shard, model::Instant now);

  const ports::Clock& clock_;
  std::vector<Shard> shards_;
  std::size_t max_subjects_of_shard_;
  std::atomic<std::uint64_t> forgotten_{0};
};

}  // namespace kbase::memory
