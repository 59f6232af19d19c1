// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ports/driven/item_store.hpp"

/// What the checks of an item store write, and how they read it back: a list is told as one text, so that a failure
/// shows both sides.
namespace kbase::conformance {

/// An item with every member filled; its texts are literals and the arguments.
model::ItemView item_of(std::string_view id, std::string_view category = "shelf");

/// A category with every member filled, whose name is its id.
model::CategoryView category_of(std::string_view id);

/// `bytes` bytes of valid UTF-8 that run through Unicode from the code point `start` on, NUL being the first of all.
std::string unicode_text(std::size_t bytes, char32_t start = 0);

/// One batch as a check writes it down, applied in the order of the members.
struct Batch {
  std::vector<model::CategoryView> categories;
  std::vector<model::ItemView> items;
  std::vector<std::string_view> removed_items;
  std::vector<std::string_view> removed_categories;
};

/// Begins, applies and commits `batch`; an id that was not there to be removed is an Internal error.
model::Result<model::Revision> commit(ports::ItemStore& store, const Batch& batch);

/// Applies `batch` to a writer without committing it.
model::Status apply(ports::ItemWriter& writer, const Batch& batch);

/// The name of the first member in which both differ, empty where none does; the revision does not count.
std::string_view difference(const model::ItemSummaryView& a, const model::ItemSummaryView& b);
std::string_view difference(const model::ItemView& a, const model::ItemView& b);
std::string_view difference(const model::CategoryView& a, const model::CategoryView& b);

/// The ids of an answer, joined by '|'; "error CODE" where the call failed.
std::string recent_ids(ports::ItemStore& store, std::optional<std::string_view> category, ports::Slice slice);
std::string category_ids(ports::ItemStore& store, ports::Slice slice);
std::string summary_ids(ports::ItemStore& store, const std::vector<std::string_view>& ids);

/// The title of an item, "none" where there is none, "error CODE" where the call failed.
std::string title_of(ports::ItemStore& store, std::string_view id);

/// The newest revision; the largest number where the call failed.
model::Revision revision_of(ports::ItemStore& store);

/// The changes feed, told as "+id" and "-id" for items, "+[id]" and "-[id]" for categories, joined by spaces.
struct Feed {
  std::string told;
  std::vector<model::Revision> revisions;
  model::Revision up_to = 0;
};
model::Result<Feed> feed_after(ports::ItemStore& store, model::Revision after);

/// `feed_after` as its text alone; "error CODE" where the call failed.
std::string told_after(ports::ItemStore& store, model::Revision after);

}  // namespace kbase::conformance
