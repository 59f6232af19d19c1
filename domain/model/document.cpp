// SPDX-License-Identifier: Apache-2.0
#include "domain/model/document.hpp"

#include <charconv>

namespace kbase::model {

std::string_view name_of(Format format) {
  switch (format) {
    case Format::Markdown: return "markdown";
    case Format::Html: return "html";
    case Format::Text: break;
  }
  return "text";
}

std::optional<Format> parse_format(std::string_view name) {
  if (name.empty()) return Format::Markdown;
  for (const Format format : {Format::Markdown, Format::Html, Format::Text})
    if (name_of(format) == name) return format;
  return std::nullopt;
}

std::string encode_section(const Section& section) {
  return std::to_string(section.level) + ' ' + std::to_string(section.begin) + ' ' + section.anchor + ' ' +
         section.heading;
}

namespace {

/// Reads a number and the space after it from the start of `text`. False: it has another form.
template <class Number> bool read_number(std::string_view& text, Number& number) {
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (failure != std::errc() || end == text.data() + text.size() || *end != ' ') return false;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()) + 1);
  return true;
}

}  // namespace

std::optional<Section> decode_section(std::string_view text) {
  Section section;
  if (!read_number(text, section.level) || !read_number(text, section.begin)) return std::nullopt;
  const std::size_t space = text.find(' ');
  if (space == std::string_view::npos) return std::nullopt;
  section.anchor = text.substr(0, space);
  section.heading = text.substr(space + 1);
  return section;
}

void visit_section_texts(std::string_view content, std::span<const std::string_view> sections,
                         FunctionRef<void(std::string_view)> visitor) {
  std::size_t begin = 0;
  for (std::string_view text : sections) {
    std::uint32_t level = 0;
    std::size_t next = 0;
    if (!read_number(text, level) || !read_number(text, next) || next <= begin || next >= content.size()) continue;
    visitor(content.substr(begin, next - begin));
    begin = next;
  }
  visitor(content.substr(begin));
}

std::optional<Section> section_at(std::span<const std::string_view> sections, std::size_t position) {
  std::optional<Section> last;
  for (const std::string_view text : sections) {
    auto section = decode_section(text);
    if (!section) continue;
    if (section->begin > position) break;
    last = std::move(section);
  }
  return last;
}

}  // namespace kbase::model
