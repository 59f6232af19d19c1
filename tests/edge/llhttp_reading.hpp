// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tests/edge/reading.hpp"

namespace kbase::tests {

/// What llhttp (the parser of Node.js, here Debian's 8.1 in its strict mode) makes of the bytes of a connection. `why`
/// is the name of its error and its reason.
Reading read_with_llhttp(std::string_view bytes);

}  // namespace kbase::tests
