// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "adapters/redis/endpoint.hpp"
#include "adapters/redis/reply.hpp"
#include "domain/model/error.hpp"

namespace kbase::redis {

/// Maps an error reply of Redis to a kbase error. The only such mapping. The message names the problem and the remedy;
/// the detail names the server and contains the text of the reply.
model::Error error_of(const Endpoint& server, const Reply& reply);

/// Maps an error reply to the greeting. Such a reply can repeat a password ("ERR unknown command `AUTH`, with args
/// beginning with: ..."), so the detail contains only its first word.
model::Error error_of_greeting(const Endpoint& server, const Reply& reply);

/// Returns an Unavailable error: the server cannot be reached, for a reason that the system reported.
model::Error unreachable(const Endpoint& server, std::string_view reason);

/// Returns a BadUpstream error: the reply does not fit the command.
model::Error unexpected(const Endpoint& server, std::string_view command);

}  // namespace kbase::redis
