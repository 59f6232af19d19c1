// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <map>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "domain/base/text_hash.hpp"
#include "ports/driven/activity_store.hpp"
#include "ports/driven/clock.hpp"
#include "ports/driven/view_counter.hpp"

namespace kbase::runtime {

/// View counts in memory: for each item the total last read from the activity store, plus the views counted by this
/// process since. Thread-safe.
class CountedViews final : public ports::ViewCounter {
 public:
  struct Increment {
    std::string item;
    model::Day day;
    std::uint64_t views = 0;
  };

  /// `clock` must outlive this object.
  explicit CountedViews(const ports::Clock& clock) : clock_(clock) {}

  void count(std::string_view item) override;
  std::uint64_t views_of(std::string_view item) const override;
  void by_category(Visitor<ports::CategoryViews> visitor) const override;
  model::ViewsRevision revision() const override { return revision_.load(std::memory_order_acquire); }

  // The functions below are for the code that writes the views to the store and the index.

  /// Removes and returns at most `limit` of the new views, summed by item and day, for writing to the journal.
  std::vector<Increment> pop_new(std::size_t limit);

  /// Puts back increments that could not be written. The next pop_new() returns them again.
  void push_back_new(const std::vector<Increment>& increments);

  /// Marks increments from pop_new() as written to the store. They count as stored until set_stored() replaces the
  /// total.
  void mark_stored(std::span<const ports::ViewIncrement> increments);

  /// Sets an item's total as read from the store.
  void set_stored(std::string_view item, std::uint64_t total);

  /// Sets the store revision up to which all totals have been set.
  void set_revision(model::ViewsRevision revision) { revision_.store(revision, std::memory_order_release); }

  /// Returns the ids of all items with stored views.
  std::vector<std::string> list_viewed_items() const;

  /// Adds the item's current stored views to `category` and removes them from its previous category. Empty: no
  /// category.
  void set_category(std::string_view item, std::string_view category);

 private:
  struct Entry {
    std::uint64_t stored = 0;
    std::uint64_t unstored = 0;
    std::uint64_t* category = nullptr;  // points into categories_
    std::uint64_t in_category = 0;      // stored views that are included in *category
  };
  using Entries = TextMap<Entry>;

  Entry& find_or_create_entry(std::string_view item);

  const ports::Clock& clock_;
  mutable std::mutex mutex_;
  Entries entries_;
  std::map<std::pair<model::Day, std::string>, std::uint64_t> unwritten_;
  std::map<std::string, std::uint64_t> categories_;
  std::atomic<model::ViewsRevision> revision_{0};
};

}  // namespace kbase::runtime
