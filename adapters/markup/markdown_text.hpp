// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "adapters/markup/plain_markdown.hpp"
#include "domain/model/document.hpp"

namespace kbase::markup {

/// Returns the text and the sections of Markdown. Most texts go from md4c's blocks and spans straight into the
/// document. One with HTML or entities goes through HTML, which takes three times as long.
model::Document markdown_document(const PlainMarkdown& markdown);

/// Returns the Markdown as HTML, with the HTML that it contains.
std::string markdown_html(const PlainMarkdown& markdown);

/// Returns what markdown_document() does, through HTML for every text.
model::Document markdown_document_by_html(const PlainMarkdown& markdown);

}  // namespace kbase::markup
