// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace kbase::markup {

/// Returns the main part of a whole page as HTML: the content of `<main>`, else of `<article>`, else of the body
/// without `nav`, `header`, `footer` and `aside`. Scripts, styles, forms and comments are left out, and the addresses
/// in links and pictures are absolute, by that of the page. `html` without an element of the three is returned as it
/// is.
std::string html_main_part(std::string_view html, std::string_view address);

}  // namespace kbase::markup
