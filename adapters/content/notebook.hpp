// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "domain/base/result.hpp"

namespace kbase::content {

/// Returns the cells of a Jupyter notebook as Markdown: text as it is, code in fenced blocks with its language, and no
/// output. A first raw cell that is front matter stays front matter. Reads the formats 3 and 4
/// (https://nbformat.readthedocs.io). InvalidArgument: it is not a notebook.
Result<std::string> notebook_text(std::string_view notebook);

}  // namespace kbase::content
