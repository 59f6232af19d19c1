// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdio>
#include <string>
#include <string_view>

namespace kbase::cli {

/// What `stream` is to be given of a text in UTF-8 that a service outside made: where it is a terminal, without the
/// control characters that would steer it (all but tab and line feed), each of which becomes U+FFFD; else as it is.
std::string foreign_text(std::FILE* stream, std::string_view text);

}  // namespace kbase::cli
