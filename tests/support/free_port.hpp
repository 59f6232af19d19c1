// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace kbase::tests {

/// A TCP port of the loopback address that nobody listens on, and that nobody gets who asks for any, or here as long as
/// this process lives. Throws std::runtime_error.
std::uint16_t free_port();

}  // namespace kbase::tests
