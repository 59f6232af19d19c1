// SPDX-License-Identifier: Apache-2.0
#include "domain/model/item.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "domain/base/text.hpp"

namespace kbase::model {
namespace {

/// Copies texts into one block of memory whose addresses stay valid when the owner is moved.
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

bool same(TextList a, TextList b) { return std::equal(a.begin(), a.end(), b.begin(), b.end()); }

/// Length in bytes of the leading white space and control characters.
std::size_t blank_length(std::string_view text) {
  std::size_t length = 0;
  while (const std::size_t more =
             std::max(utf8::space_length(text.substr(length)), utf8::control_length(text.substr(length))))
    length += more;
  return length;
}

}  // namespace

Item::Item(const ItemView& item) : view_(item) {
  std::size_t bytes = 0, entries = 0;
  for (const std::string_view* const text : text_members(item)) bytes += text->size();
  for (const TextList* const list : list_members(item)) {
    bytes += bytes_of(*list);
    entries += list->size();
  }
  TextBlock block(text_, bytes, lists_, entries);
  for (std::string_view* const text : text_members(view_)) *text = block.keep(*text);
  for (TextList* const list : list_members(view_)) *list = block.keep(*list);
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

ItemView without_description(ItemView item) {
  item.url = item.language = item.version = item.summary = item.format = item.source = {};
  item.aliases = item.sections = {};
  return item;
}

bool same_content(const ItemView& a, const ItemView& b) {
  return std::ranges::equal(text_members(a), text_members(b), [](auto* x, auto* y) { return *x == *y; }) &&
         std::ranges::equal(list_members(a), list_members(b), [](auto* x, auto* y) { return same(*x, *y); }) &&
         a.metadata.created == b.metadata.created && a.metadata.updated == b.metadata.updated &&
         a.metadata.views == b.metadata.views;
}

bool same_content(const CategoryView& a, const CategoryView& b) {
  return a.id == b.id && a.name == b.name && a.description == b.description && a.icon == b.icon &&
         same(a.subcategories, b.subcategories);
}

namespace {

constexpr std::string_view kEllipsis = "…";
constexpr std::size_t kTextCodePoints = kExcerptCodePoints - 1;  // one of the 240 code points is the ellipsis

/// excerpt_of() for a content that begins with graphic ASCII and single blanks; takes a twentieth of the time. nullopt:
/// the content begins otherwise.
std::optional<std::string> simple_excerpt_of(std::string_view content) {
  const std::string_view start = content.substr(0, kExcerptCodePoints + 1);
  if (!utf8::is_simple_line(start)) return std::nullopt;
  std::size_t end = start.size();
  if (end > kExcerptCodePoints) {
    const std::size_t boundary = start.find_last_of(" \n", kTextCodePoints);
    end = boundary != std::string_view::npos && 2 * boundary >= kTextCodePoints ? boundary : kTextCodePoints;
  }
  std::string line(start.substr(0, end));
  for (std::size_t i = line.find('\n'); i != std::string::npos; i = line.find('\n', i)) line[i] = ' ';
  if (end < start.size()) line += kEllipsis;
  return line;
}

}  // namespace

std::string excerpt_of(std::string_view content) {
  if (auto line = simple_excerpt_of(content)) return *std::move(line);
  std::string line;
  std::size_t length = 0;    // code points in `line`
  std::size_t boundary = 0;  // length in bytes of `line` up to the last word boundary within kTextCodePoints
  while (!content.empty()) {
    if (const std::size_t blank = blank_length(content); blank != 0) {
      content.remove_prefix(blank);
      if (line.empty() || content.empty()) continue;
      if (length <= kTextCodePoints) boundary = line.size();
      line += ' ';
    } else {
      // Most text is ASCII. Append at most one code point more than fits, to detect that the text is too long.
      const std::size_t run = std::min(utf8::graphic_ascii_length(content.substr(0, kExcerptCodePoints + 1)),
                                       kExcerptCodePoints + 1 - length);
      const std::size_t bytes = run > 0 ? run : std::max<std::size_t>(1, utf8::sequence_length(content));
      line += content.substr(0, bytes);
      content.remove_prefix(bytes);
      if (run > 0) length += run - 1;
    }
    if (++length <= kExcerptCodePoints) continue;
    // Ignore a word boundary in the first half. Otherwise a heading before text without boundaries (Chinese, a long
    // URL) would be all that remains. Such text is cut within a word.
    const std::size_t end = utf8::prefix(line, kTextCodePoints).size();
    line.resize(2 * boundary >= end ? boundary : end);
    return line += kEllipsis;
  }
  return line;
}

}  // namespace kbase::model
