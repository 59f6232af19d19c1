// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "domain/model/document.hpp"

namespace kbase::markup {

/// Whether `html` is a whole page, not only a part of one.
bool is_html_page(std::string_view html);

/// Whether a whole page says what its main part is.
bool has_main_part(std::string_view page);

/// Returns the text and the sections of `html`, a whole page or a part of one, as UTF-8. Of a page, the text is that of
/// `<main>` or `<article>`, else of the body without `nav`, `header`, `footer` and `aside`. Scripts, styles, drawings,
/// hidden elements and the links that generators put next to headings have no text.
model::Document html_document(std::string_view html);

/// Returns what the head of `html`, a whole page, says.
model::PageHead html_head(std::string_view html);

}  // namespace kbase::markup
