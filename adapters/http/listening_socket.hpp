// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/socket.h>

#include <cstdint>
#include <string>

#include "domain/model/result.hpp"

namespace kbase::http {

/// The socket address of `host` (a literal or a name) and `port`. InvalidArgument, parameter "address".
model::Result<sockaddr_storage> resolve(const std::string& host, std::uint16_t port);

/// Closes the socket of this process that listens on `address` with `port`, whoever opened it, and leaves in its place
/// a descriptor that nothing ever arrives at. Pistache's listener keeps its socket to itself and can only stop
/// altogether; a server that drains must refuse new connections while the old ones go on.
void stop_listening(const sockaddr_storage& address, std::uint16_t port);

}  // namespace kbase::http
