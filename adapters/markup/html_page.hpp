// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "ports/driven/page_markup.hpp"

namespace kbase::markup {

/// Returns `html`, a whole page or a part of one, as a part of a page that is safe to show: only elements, attributes
/// and schemes of addresses that a list allows, all of them closed. The parts that html_document() leaves out are left
/// out, and headings have the anchors of its sections.
std::string safe_html(std::string_view html, const ports::PageOptions& options);

/// Returns `text` as HTML that shows the same characters.
std::string escape_html(std::string_view text);

}  // namespace kbase::markup
