// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "domain/model/document.hpp"
#include "domain/model/ids.hpp"
#include "domain/model/item.hpp"
#include "ports/driven/markup.hpp"

namespace kbase::usecases {

/// Incremented with every change of the texts that indexes receive, so that each index is rebuilt.
inline constexpr std::uint8_t kTextVersion = 1;

/// Returns what an index takes for the id of its store: that id, combined with the version of the texts. An index of
/// kbase 1.0, which sent contents as they are written, has another one.
constexpr model::StoreId indexed_store_id(model::StoreId store_id) {
  store_id[0] ^= kTextVersion;
  return store_id;
}

/// The format of an item's content.
model::Format format_of(const model::ItemView& item);

/// The document of one item at a time: its text without markup, which every index receives, and its sections. Reuses
/// its memory. Not thread-safe.
///
/// The text is the summary, unless the content begins with it, and the text of the content without a first heading that
/// repeats the title. So an index that knows no summary finds its words and shows it as the start of the item.
class ItemDocument {
 public:
  /// `markup` must outlive the object.
  explicit ItemDocument(const ports::Markup& markup) : markup_(markup) {}

  /// Makes the document of `item`, which must stay valid as long as the views below are used.
  void make(const model::ItemView& item);

  /// The item as stores keep it: with the start of the text as its excerpt, and with its sections. Valid until the next
  /// make().
  model::ItemView stored();

  /// The item as indexes receive it: with the text as its content, and with its sections. Valid until the next make().
  const model::ItemView& indexed() const { return indexed_; }

 private:
  void remove_title(std::string_view title);
  void prepend(std::string_view summary);

  const ports::Markup& markup_;
  model::Document document_;
  std::string excerpt_;
  std::vector<std::string> section_texts_;
  std::vector<std::string_view> sections_;
  std::string_view content_;
  model::ItemView indexed_;
};

}  // namespace kbase::usecases
