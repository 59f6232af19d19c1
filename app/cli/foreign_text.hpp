// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdio>
#include <string>
#include <string_view>

namespace kbase::cli {

/// Makes UTF-8 text from an upstream service safe for `stream`. On a terminal, each control character except tab and
/// line feed becomes U+FFFD, as it could control the terminal. Elsewhere the text is unchanged.
std::string foreign_text(std::FILE* stream, std::string_view text);

}  // namespace kbase::cli
