// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "adapters/markup/anchors.hpp"
#include "domain/model/document.hpp"

namespace kbase::markup {

/// White space of HTML.
constexpr bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f'; }

/// What an element does to the text.
enum class Role : std::uint8_t { Inline, Block, Cell, Break, Preformatted, Heading, Title, Hidden, Frame, Main };

/// The attributes of an element that matter for the text.
struct Attributes {
  std::string_view id, name;
  bool is_hidden = false;
};

/// Writes the document of a text from its elements, as a parser of HTML or of Markdown meets them. Not thread-safe.
class DocumentWriter {
 public:
  /// `is_page`: the text is a whole page, so that its navigation is left out. `has_main`: only the main part has text.
  DocumentWriter(bool is_page, bool has_main) : is_page_(is_page), needs_main_(has_main) {}

  model::Document take() &&;

  void start(Role role, std::string_view name, const Attributes& attributes);

  void end(Role role);

  void characters(std::string_view text);

  /// Whether text that comes now is text of the document.
  bool is_shown() const { return hidden_ == 0 && !is_title_ && (!needs_main_ || main_ != 0); }

  /// The heading that ended last, of any level. Its anchor is empty if it has no text.
  const model::Section& last_heading() const { return last_heading_; }

 private:
  void begin_block(Role role);

  /// Ends the line or the word before the next text.
  void separate();
  void append_words(std::string_view words);
  void append_code(std::string_view code);
  void append_title(std::string_view text);

  void note_anchor(std::string_view anchor);
  void begin_heading(std::string_view name, std::string_view id);
  void end_heading();

  const bool is_page_, needs_main_;
  model::Document document_;
  Anchors anchors_;
  std::size_t hidden_ = 0;  // number of open elements from the outermost one without text
  std::size_t main_ = 0, preformatted_ = 0;
  bool has_break_ = false, has_space_ = false, is_title_ = false;
  bool in_heading_ = false;
  std::uint32_t level_ = 0;
  std::string heading_, heading_anchor_, title_;
  model::Section last_heading_;
  std::size_t begin_ = 0;
  std::string anchor_;  // last id of an element that is not a heading
  std::size_t anchor_at_ = 0;
};

}  // namespace kbase::markup
