// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <map>
#include <mutex>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "ports/driven/activity_store.hpp"
#include "ports/driven/clock.hpp"
#include "ports/driven/view_counter.hpp"

namespace kbase::runtime {

/// The counted views in memory: for each item what the activity store said last, and what this process counted since.
/// Any thread.
class CountedViews final : public ports::ViewCounter {
 public:
  struct Increment {
    std::string item;
    model::Day day;
    std::uint64_t views = 0;
  };

  /// The clock outlives this object.
  explicit CountedViews(const ports::Clock& clock) : clock_(clock) {}

  void count(std::string_view item) override;
  std::uint64_t views_of(std::string_view item) const override;
  void by_category(model::Visitor<ports::CategoryViews> visitor) const override;
  model::ViewsRevision revision() const override { return revision_.load(std::memory_order_acquire); }

  // What follows is for who brings them to the store and the index.

  /// Views that were counted and not taken yet, added up by item and day, so many increments at most: to be written to
  /// the journal.
  std::vector<Increment> take_new(std::size_t most);

  /// These could not be written, and are taken again with what is counted until then.
  void give_back(const std::vector<Increment>& increments);

  /// The store has these now, which take_new() gave; until `set_stored` says the same, they count as stored.
  void mark_stored(std::span<const ports::ViewIncrement> increments);

  /// What the store says an item has in all.
  void set_stored(std::string_view item, std::uint64_t total);

  /// Everything the store told up to this revision is in.
  void set_revision(model::ViewsRevision revision) { revision_.store(revision, std::memory_order_release); }

  /// Every item with stored views.
  std::vector<std::string> viewed_items() const;

  /// From now on the item's stored views, as they are now, count for `category`; empty: for none.
  void set_category(std::string_view item, std::string_view category);

 private:
  struct Entry {
    std::uint64_t stored = 0;
    std::uint64_t unstored = 0;
    std::uint64_t* category = nullptr;  // in categories_
    std::uint64_t in_category = 0;      // of its stored views
  };
  struct TextHash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const noexcept { return std::hash<std::string_view>()(text); }
  };
  using Entries = std::unordered_map<std::string, Entry, TextHash, std::equal_to<>>;

  Entry& entry_of(std::string_view item);

  const ports::Clock& clock_;
  mutable std::mutex mutex_;
  Entries entries_;
  std::map<std::pair<model::Day, std::string>, std::uint64_t> new_;
  std::map<std::string, std::uint64_t> categories_;
  std::atomic<model::ViewsRevision> revision_{0};
};

}  // namespace kbase::runtime
