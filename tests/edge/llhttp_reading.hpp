// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tests/edge/reading.hpp"

namespace kbase::tests {

/// Parses the bytes of a connection with llhttp (the parser of Node.js; Debian's 8.1 in strict mode). `why` is its
/// error name and reason.
Reading read_with_llhttp(std::string_view bytes);

}  // namespace kbase::tests
