// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ports/driven/item_store.hpp"

/// Sample content for the checks of an item store, and functions that return what a store contains. A list is returned
/// as one string, so that a failure shows both values.
namespace kbase::conformance {

/// Returns an item with every member of the header 1.0 set. The texts are views of the arguments and of literals.
model::ItemView item_of(std::string_view id, std::string_view category = "shelf");

/// Returns an item with every member set, for a store that describes items.
model::ItemView described_item_of(std::string_view id);

/// Returns a category with every member set, whose name is its id.
model::CategoryView category_of(std::string_view id);

/// Returns `bytes` bytes of valid UTF-8: consecutive characters from `start` on, by default from NUL.
std::string unicode_text(std::size_t bytes, char32_t start = 0);

/// The changes of one batch. They are applied in the order of the members.
struct Batch {
  std::vector<model::CategoryView> categories;
  std::vector<model::ItemView> items;
  std::vector<std::string_view> removed_items;
  std::vector<std::string_view> removed_categories;
};

/// Begins, applies and commits `batch`. Internal: an id to remove did not exist.
Result<model::Revision> commit(ports::ItemStore& store, const Batch& batch);

/// Applies `batch` to a writer without committing it.
Status apply(ports::ItemWriter& writer, const Batch& batch);

/// Return the name of the first member that differs; empty: both are equal. Revisions are not compared.
std::string_view difference(const model::ItemSummaryView& a, const model::ItemSummaryView& b);
std::string_view difference(const model::ItemView& a, const model::ItemView& b);
std::string_view difference(const model::CategoryView& a, const model::CategoryView& b);

/// Return the ids in a result, joined by '|'; "error CODE" if the call failed.
std::string recent_ids(ports::ItemStore& store, std::optional<std::string_view> category, ports::Slice slice);
std::string category_ids(ports::ItemStore& store, ports::Slice slice);
std::string summary_ids(ports::ItemStore& store, const std::vector<std::string_view>& ids);

/// Returns the title of an item; "none" if it does not exist, "error CODE" if the call failed.
std::string title_of(ports::ItemStore& store, std::string_view id);

/// Returns the newest revision; the largest number if the call failed.
model::Revision revision_of(ports::ItemStore& store);

/// A part of the changes feed. Items are "+id" and "-id", categories "+[id]" and "-[id]", joined by spaces.
struct Feed {
  std::string text;
  std::vector<model::Revision> revisions;
  model::Revision up_to = 0;
};
Result<Feed> feed_after(ports::ItemStore& store, model::Revision after);

/// Returns only the text of feed_after(); "error CODE" if the call failed.
std::string feed_text_after(ports::ItemStore& store, model::Revision after);

}  // namespace kbase::conformance
