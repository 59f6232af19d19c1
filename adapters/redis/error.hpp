// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "adapters/redis/endpoint.hpp"
#include "adapters/redis/reply.hpp"
#include "domain/model/error.hpp"

namespace kbase::redis {

/// The one place where what Redis answers becomes the house's errors. The message says what is wrong and the way out,
/// the detail names the server and has its own words.
model::Error error_of(const Endpoint& server, const Reply& reply);

/// The same of an answer to the greeting, whose words may repeat a password ("ERR unknown command `AUTH`, with args
/// beginning with: ..."): only the first of them is kept.
model::Error error_of_greeting(const Endpoint& server, const Reply& reply);

/// Unavailable: what the machine said of the way to a server.
model::Error unreachable(const Endpoint& server, std::string_view reason);

/// BadUpstream: a reply that is none to the command.
model::Error unexpected(const Endpoint& server, std::string_view command);

}  // namespace kbase::redis
