// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace kbase::tests {

/// Returns a TCP port of the loopback address that no process listens on. The kernel does not assign it to sockets that
/// bind to port 0, and no other test gets it as long as this process lives. Throws std::runtime_error.
std::uint16_t free_port();

}  // namespace kbase::tests
