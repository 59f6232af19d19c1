// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

/// Notes that stand out from the text: admonitions of Docusaurus, MkDocs and MyST, alerts of GitHub. A page shows one
/// as a quotation whose first paragraph begins with the mark of its kind.
namespace kbase::markup {

/// Whether plain_markdown() keeps callouts.
enum class Callouts {
  AsText,    ///< their titles are paragraphs
  AsBlocks,  ///< they are quotations in HTML
};

/// Returns the kind of a callout: "note", "tip", "important", "warning" or "danger"; empty: generators do not know the
/// name. `name`: in any case.
std::string_view callout_kind(std::string_view name);

/// Returns the mark of a callout, in HTML. `title`: Markdown; empty: the kind.
std::string callout_mark(std::string_view kind, std::string_view title);

/// Whether the value of an attribute `class` is that of a mark.
bool is_callout_class(std::string_view value);

}  // namespace kbase::markup
