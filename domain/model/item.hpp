// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "domain/model/day.hpp"
#include "domain/model/ids.hpp"

namespace kbase::model {

/// A view of a list of texts.
using TextList = std::span<const std::string_view>;

/// The members of an item's `metadata` (docs/guide/items.md).
struct MetadataView {
  std::string_view author;
  Day created;
  Day updated;
  std::uint64_t views = 0;  ///< from a store: the imported count; from a use case: imported plus counted
  /// The further members of the imported metadata, an opaque text that whoever reads content wrote and whoever
  /// answers prints (at most kMaxExtraBytes); empty: none.
  std::string_view extra;
};

inline constexpr std::size_t kMaxExtraBytes = 16 * 1024;

/// What a list shows of an item: everything but its body. All views are loans, see Visitor.
struct ItemSummaryView {
  std::string_view id;
  std::string_view title;
  std::string_view category;
  std::string_view excerpt;  ///< the start of the content as plain text, see excerpt_of()
  TextList tags;
  MetadataView metadata;
};

/// An item as ports hand it over. All views are loans, see Visitor.
struct ItemView : ItemSummaryView {
  std::string_view content;
  TextList related;
  Revision revision = 0;  ///< the item's last change; ignored by a store that is given the item
};

/// An item that owns its texts: a copy of a view, for whoever keeps one. Never changes, so any thread may read it.
class Item {
 public:
  explicit Item(const ItemView& item);
  Item(const Item& other) : Item(other.view()) {}
  Item& operator=(const Item& other) { return *this = Item(other); }
  Item(Item&&) noexcept = default;
  Item& operator=(Item&&) noexcept = default;
  ~Item() = default;

  /// Valid as long as the item, or the one it was moved to.
  const ItemView& view() const noexcept { return view_; }

 private:
  std::vector<char> text_;               // every text of the item, one after the other
  std::vector<std::string_view> lists_;  // the tags, then the related ids
  ItemView view_;
};

/// Whether both have the same content: every member but the revision.
bool same_content(const ItemView& a, const ItemView& b);

/// The most code points a lead or an excerpt has (docs/guide/search.md and categories.md).
inline constexpr std::size_t kExcerptCodePoints = 240;

/// The first 240 code points of `content` as one line of plain text: white space and control characters run together
/// to single spaces, cut at a word border and ended with "…" where something was cut. `content` is valid UTF-8.
std::string excerpt_of(std::string_view content);

}  // namespace kbase::model
