// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "domain/base/function_ref.hpp"

namespace kbase::model {

/// How the content of an item is written.
enum class Format : std::uint8_t { Markdown, Html, Text };

/// Returns the name that item lines and responses use: "markdown", "html" or "text".
std::string_view name_of(Format format);
/// An empty name is Markdown. nullopt: no format has the name.
std::optional<Format> parse_format(std::string_view name);

/// Deepest level of a heading that starts a section.
inline constexpr std::uint32_t kMaxSectionLevel = 4;

/// A part of a document that begins with a heading.
struct Section {
  std::uint32_t level = 1;   ///< level of the heading, 1 to kMaxSectionLevel
  std::string heading = {};  ///< plain text in one line
  std::string anchor = {};   ///< fragment of the page's address that leads to the heading; unique in the document
  std::size_t begin = 0;     ///< byte offset of the section in the text; it ends where the next one begins

  bool operator==(const Section&) const = default;
};

/// Returns the section as one text: "LEVEL BEGIN ANCHOR HEADING", so that stores and plugins keep a list of sections as
/// a list of texts. An anchor has no space.
std::string encode_section(const Section& section);

/// Parses what encode_section() returned. nullopt: `text` has another form.
std::optional<Section> decode_section(std::string_view text);

/// Visits the text before the first of the encoded sections, then the text of each section. Skips sections that
/// `content` cannot have, so that the texts together are always the whole content.
void visit_section_texts(std::string_view content, std::span<const std::string_view> sections,
                         FunctionRef<void(std::string_view)> visitor);

/// Returns the last of the encoded sections that begins at or before the byte `position`; nullopt: the position is
/// before the first.
std::optional<Section> section_at(std::span<const std::string_view> sections, std::size_t position);

/// The readable text of a content, without markup.
struct Document {
  std::string text = {};               ///< blocks separated by line feeds; code keeps its lines
  std::vector<Section> sections = {};  ///< in the order of the text
  std::string heading = {};            ///< first heading of any level, in one line; empty: it has no heading
};

/// What the head of an HTML page says of it. Empty: it does not say.
struct PageHead {
  std::string title, description, author, language;
  std::string canonical;            ///< address of the page
  std::string published, modified;  ///< dates as written
  std::vector<std::string> keywords;
  bool is_hidden = false;  ///< `robots` has `noindex`
};

}  // namespace kbase::model
