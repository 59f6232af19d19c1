// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/socket.h>

#include <cstdint>
#include <string>

#include "domain/model/result.hpp"

namespace kbase::http {

/// Returns the socket address of `host` (a literal or a name) and `port`. Returns InvalidArgument with the parameter
/// "address" if `host` cannot be resolved.
model::Result<sockaddr_storage> resolve(const std::string& host, std::uint16_t port);

/// Closes the listening socket of this process on `address` and `port`, no matter which code opened it. Replaces its
/// descriptor with a socket that never becomes readable. Needed because Pistache's listener does not expose its socket
/// and can only shut down completely; a draining server must refuse new connections and keep the existing ones.
void stop_listening(const sockaddr_storage& address, std::uint16_t port);

}  // namespace kbase::http
