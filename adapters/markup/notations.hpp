// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "adapters/markup/callouts.hpp"
#include "adapters/markup/next_mark.hpp"

namespace kbase::markup {

/// What is known of a document before it is read.
struct Dialect {
  bool is_mdx = false;  ///< JSX: expressions in braces, components
  Callouts callouts = Callouts::AsText;
};

/// Removes the notations within the blocks of one Markdown document that CommonMark does not have: shortcodes (Hugo,
/// WordPress-like), Liquid (Jekyll, GitBook), JSX (MDX), wiki links and embeds (Obsidian, Logseq), attribute lists
/// (kramdown, Pandoc, MkDocs), roles (MyST), footnote marks, critic marks, icons and block ids. Code spans stay.
class InlineNotations {
 public:
  /// `document` is the whole text, to look for the end of a component. It must outlive the object.
  InlineNotations(std::string_view document, Dialect dialect) : document_(document), dialect_(dialect) {}

  /// Appends `prose`, lines outside of code blocks, to `out`.
  void append(std::string& out, std::string_view prose);

 private:
  using Handler = std::size_t (InlineNotations::*)(std::string_view);
  /// Returns the length of the notation at the start of `rest` after its text was appended; 0: it is plain text.
  std::size_t notation(std::string_view rest);
  std::size_t repair_emphasis(std::string_view rest);
  std::size_t code_span(std::string_view rest);
  std::size_t angle(std::string_view rest);
  std::size_t component(std::string_view rest);
  std::size_t brace(std::string_view rest);
  std::size_t shortcode(std::string_view rest);
  std::size_t liquid(std::string_view rest);
  std::size_t attributes(std::string_view rest);
  std::size_t role(std::string_view rest);
  std::size_t critic(std::string_view rest);
  std::size_t expression(std::string_view rest);
  std::size_t bracket(std::string_view rest);
  std::size_t spaced_link(std::string_view line);
  std::size_t undefined_link(std::string_view rest);
  std::size_t wiki_link(std::string_view rest);
  std::size_t footnote(std::string_view rest);
  std::size_t alert(std::string_view rest);
  std::size_t paired(std::string_view rest, std::string_view mark);
  std::size_t keys(std::string_view rest);
  std::size_t product(std::string_view rest);
  std::size_t icon(std::string_view rest);
  std::size_t block_id(std::string_view rest);
  std::size_t block_reference(std::string_view rest);
  std::size_t hidden(std::string_view rest, std::string_view open, std::string_view close);

  bool is_at_line_start() const;
  bool is_in_heading() const;
  char previous() const { return out_->size() == begin_ ? '\n' : out_->back(); }

  bool is_defined(std::string_view link);

  /// Whether the document has a closing tag with this name.
  bool is_closed(std::string_view name);

  std::string_view document_;
  std::optional<std::set<std::string_view>> closed_;  // names of the closing tags, once they are needed
  std::optional<std::set<std::string>> defined_;      // names of the defined links in lower case, once they are needed
  Dialect dialect_;
  std::string* out_ = nullptr;
  std::size_t begin_ = 0;  // size of *out_ when append() began
  NextMark comment_end_{"endcomment"};
  bool is_raw_ = false;  // between {% raw %} and {% endraw %}
};

}  // namespace kbase::markup
