// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "domain/model/day.hpp"
#include "domain/model/document.hpp"
#include "domain/model/ids.hpp"

namespace kbase::model {

/// Non-owning list of texts.
using TextList = std::span<const std::string_view>;

/// The members of an item's `metadata` (docs/guide/items.md).
struct MetadataView {
  std::string_view author;
  Day created;
  Day updated;
  std::uint64_t views = 0;  ///< from a store: imported views; from a use case: imported plus counted views
  /// Extra metadata: members of the imported metadata other than the above, as opaque text. Content sources write it,
  /// and the API layer prints it. At most kMaxExtraBytes. Can be empty.
  std::string_view extra;
};

inline constexpr std::size_t kMaxExtraBytes = 16 * 1024;

/// The members of an item that lists and search results show. For the lifetime of its views see Visitor.
struct ItemSummaryView {
  std::string_view id;
  std::string_view title;
  std::string_view category;
  std::string_view excerpt;  ///< start of the content as plain text, see excerpt_of()
  TextList tags;
  MetadataView metadata;
  std::string_view url;       ///< public address of the page; empty: unknown
  std::string_view language;  ///< language of the item (BCP 47); empty: unknown
  std::string_view version;   ///< version of the product that the item describes; empty: unknown
};

/// Non-owning view of an item. For the lifetime of its views see Visitor.
struct ItemView : ItemSummaryView {
  std::string_view content;
  TextList related;
  std::string_view summary;  ///< what the author says of the item in a sentence or two
  TextList aliases;          ///< further names, searched like the title
  std::string_view format;   ///< name_of(Format) of the content; empty: Markdown
  TextList sections;         ///< the sections of the content, see encode_section()
  std::string_view source;   ///< name of the source that brought the item; empty: unknown
  Revision revision = 0;     ///< revision of the item's last change; stores ignore it on write
};

/// Returns the members of an item that are texts: the id, the category, then the others.
template <class View> auto text_members(View& item) {
  return std::array{&item.id,       &item.category, &item.title,  &item.excerpt,         &item.content,
                    &item.url,      &item.summary,  &item.format, &item.metadata.author, &item.metadata.extra,
                    &item.language, &item.version,  &item.source};
}

/// Returns the members of an item that are lists of texts.
template <class View> auto list_members(View& item) {
  return std::array{&item.tags, &item.aliases, &item.sections, &item.related};
}

/// Returns the item without the members that a store can be unable to keep (ItemStore::Capabilities::describes).
ItemView without_description(ItemView item);

/// An owning copy of an item view. Immutable, so any thread may read it.
class Item {
 public:
  explicit Item(const ItemView& item);
  Item(const Item& other) : Item(other.view()) {}
  Item& operator=(const Item& other) { return *this = Item(other); }
  Item(Item&&) noexcept = default;
  Item& operator=(Item&&) noexcept = default;
  ~Item() = default;

  /// Valid for the lifetime of this object, or of the object it was moved to.
  const ItemView& view() const noexcept { return view_; }

 private:
  std::vector<char> text_;               // all texts of the item, concatenated
  std::vector<std::string_view> lists_;  // the entries of all lists
  ItemView view_;
};

/// Whether all members except `revision` are equal.
bool same_content(const ItemView& a, const ItemView& b);

/// Maximum length of an excerpt in code points (docs/guide/search.md and categories.md).
inline constexpr std::size_t kExcerptCodePoints = 240;

/// Returns the first 240 code points of `content` as one line of plain text. Runs of white space and control characters
/// become single spaces. A longer text is cut at a word boundary and ends with "…". `content` must be valid UTF-8.
std::string excerpt_of(std::string_view content);

/// Non-owning view of a category (docs/guide/categories.md). For the lifetime of its views see Visitor.
struct CategoryView {
  std::string_view id;
  std::string_view name;
  std::string_view description;
  std::string_view icon;
  TextList subcategories;
  std::uint64_t item_count = 0;  ///< number of items in the category itself; stores ignore it on write
  Revision revision = 0;         ///< revision of the last change of the category record itself
};

/// An owning copy of a category, see Item.
class Category {
 public:
  explicit Category(const CategoryView& category);
  Category(const Category& other) : Category(other.view()) {}
  Category& operator=(const Category& other) { return *this = Category(other); }
  Category(Category&&) noexcept = default;
  Category& operator=(Category&&) noexcept = default;
  ~Category() = default;

  /// Valid for the lifetime of this object, or of the object it was moved to.
  const CategoryView& view() const noexcept { return view_; }

 private:
  std::vector<char> text_;
  std::vector<std::string_view> lists_;
  CategoryView view_;
};

/// Whether all members except `item_count` and `revision` are equal.
bool same_content(const CategoryView& a, const CategoryView& b);

}  // namespace kbase::model
