// SPDX-License-Identifier: Apache-2.0
#include "domain/model/item.hpp"

#include <algorithm>

#include "domain/model/category.hpp"
#include "domain/model/utf8.hpp"

namespace kbase::model {
namespace {

/// Moves texts into one block of memory that outlives moves of its owner.
class TextBlock {
 public:
  TextBlock(std::vector<char>& text, std::size_t bytes, std::vector<std::string_view>& lists, std::size_t entries)
      : text_(text), lists_(lists) {
    text_.reserve(bytes);
    lists_.reserve(entries);
  }

  std::string_view keep(std::string_view text) {
    const char* start = text_.data() + text_.size();
    text_.insert(text_.end(), text.begin(), text.end());
    return {start, text.size()};
  }

  TextList keep(TextList list) {
    const std::string_view* start = lists_.data() + lists_.size();
    for (const std::string_view entry : list) lists_.push_back(keep(entry));
    return {start, list.size()};
  }

 private:
  std::vector<char>& text_;
  std::vector<std::string_view>& lists_;
};

std::size_t bytes_of(TextList list) {
  std::size_t bytes = 0;
  for (const std::string_view entry : list) bytes += entry.size();
  return bytes;
}

bool same(TextList a, TextList b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end());
}

bool is_blank(char c) {
  return static_cast<unsigned char>(c) <= 0x20 || c == 0x7F;
}

}  // namespace

Item::Item(const ItemView& item) : view_(item) {
  const std::size_t bytes = item.id.size() + item.title.size() + item.category.size() + item.lead.size() +
                            item.content.size() + item.metadata.author.size() + item.metadata.further.size() +
                            bytes_of(item.tags) + bytes_of(item.related);
  TextBlock block(text_, bytes, lists_, item.tags.size() + item.related.size());
  view_.id = block.keep(item.id);
  view_.title = block.keep(item.title);
  view_.category = block.keep(item.category);
  view_.lead = block.keep(item.lead);
  view_.content = block.keep(item.content);
  view_.metadata.author = block.keep(item.metadata.author);
  view_.metadata.further = block.keep(item.metadata.further);
  view_.tags = block.keep(item.tags);
  view_.related = block.keep(item.related);
}

Category::Category(const CategoryView& category) : view_(category) {
  const std::size_t bytes = category.id.size() + category.name.size() + category.description.size() +
                            category.icon.size() + bytes_of(category.subcategories);
  TextBlock block(text_, bytes, lists_, category.subcategories.size());
  view_.id = block.keep(category.id);
  view_.name = block.keep(category.name);
  view_.description = block.keep(category.description);
  view_.icon = block.keep(category.icon);
  view_.subcategories = block.keep(category.subcategories);
}

bool same_content(const ItemView& a, const ItemView& b) {
  return a.id == b.id && a.title == b.title && a.category == b.category && a.content == b.content &&
         same(a.tags, b.tags) && same(a.related, b.related) && a.metadata.author == b.metadata.author &&
         a.metadata.created == b.metadata.created && a.metadata.updated == b.metadata.updated &&
         a.metadata.views == b.metadata.views && a.metadata.further == b.metadata.further && a.lead == b.lead;
}

bool same_content(const CategoryView& a, const CategoryView& b) {
  return a.id == b.id && a.name == b.name && a.description == b.description && a.icon == b.icon &&
         same(a.subcategories, b.subcategories);
}

std::string lead_of(std::string_view content) {
  std::string line;
  std::size_t length = 0;       // code points in `line`
  std::size_t last_border = 0;  // bytes of `line` up to its last word border
  for (std::size_t i = 0; i < content.size();) {
    if (is_blank(content[i])) {
      while (i < content.size() && is_blank(content[i])) ++i;
      if (line.empty() || i == content.size()) continue;
      last_border = line.size();
      line += ' ';
      ++length;
    } else {
      const std::size_t bytes = std::max<std::size_t>(1, utf8::sequence_length(content.substr(i)));
      line.append(content, i, bytes);
      i += bytes;
      ++length;
    }
    if (length > kExcerptCodePoints) {
      // One of the 240 is the ellipsis. A text without a border (Chinese, a long URL) is cut where it must be.
      const std::size_t room = utf8::prefix(line, kExcerptCodePoints - 1).size();
      line.resize(last_border != 0 && last_border <= room ? last_border : room);
      return line + "…";
    }
  }
  return line;
}

}  // namespace kbase::model
