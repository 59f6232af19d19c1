// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "adapters/markup/callouts.hpp"

namespace kbase::markup {

/// Markdown that a CommonMark parser reads as the author meant it.
struct PlainMarkdown {
  std::string text;
  bool is_mdx = false;  ///< indented lines are not code (MDX)
};

/// Removes what generators add to Markdown: imports and exports (MDX), admonitions and tabs (Docusaurus, MkDocs, MyST,
/// Microsoft), blocks of shortcodes that contain code (Hugo, Jekyll), properties and drawers (Logseq), includes that no
/// source has resolved, comments, and what InlineNotations removes.
/// The titles of admonitions and tabs stay as paragraphs. With Callouts::AsBlocks, admonitions become blocks. Code
/// blocks stay as they are.
PlainMarkdown plain_markdown(std::string_view markdown, Callouts callouts = Callouts::AsText);

}  // namespace kbase::markup
