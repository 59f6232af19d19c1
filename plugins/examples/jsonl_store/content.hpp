// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "records.hpp"

namespace jsonl {

/// A category with the totals of its own items.
struct CategoryRow {
  const model::Category* category = nullptr;
  std::uint64_t items = 0;
  std::uint64_t views = 0;

  model::CategoryView view() const;
};

/// The whole content at one revision, with sorted lists: what readers use. Immutable, so any thread reads it without a
/// lock. Construction takes about 100 ms for 100,000 items.
class Content {
 public:
  explicit Content(Records records);
  Content(const Content&) = delete;
  Content& operator=(const Content&) = delete;

  const Records& records() const { return records_; }

  /// Returns items by descending `updated`, then descending `created`, then id; only those of `category` if it is
  /// given.
  std::span<const model::Item* const> recent(std::optional<std::string_view> category) const;

  /// Returns null if no category has this id.
  const CategoryRow* category(std::string_view id) const;

  /// Returns the categories by name, then id.
  std::span<const CategoryRow* const> categories() const { return by_name_; }

  ports::StoreTotals totals(model::Day today) const;

 private:
  Records records_;
  std::vector<const model::Item*> by_recency_;
  std::vector<const model::Item*> by_category_;  // by category id, then recency
  std::vector<model::Day> created_;              // one per item, ascending
  std::map<std::string_view, CategoryRow> rows_;
  std::vector<const CategoryRow*> by_name_;
  std::uint64_t views_ = 0;
};

}  // namespace jsonl
