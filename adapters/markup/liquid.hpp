// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace kbase::markup {

/// Returns a page of HTML that is a template (Jekyll) without the tags and expressions of Liquid; those in `<pre>` and
/// `<code>`, and all of a page without a tag, stay.
std::string without_liquid(std::string_view html);

}  // namespace kbase::markup
