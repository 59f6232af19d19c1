// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "adapters/http/client_address.hpp"
#include "adapters/http/problem.hpp"
#include "adapters/http/request_parser.hpp"
#include "adapters/http/routes.hpp"

namespace kbase::http {

/// Returns scheme and authority of the site's addresses: `configured`, or if it is empty, as the client asked for them.
std::string find_origin(const Request& request, const Peer& peer, const std::string& configured,
                        const NetworkSet& trusted_proxies);

/// Whether the page that sent the request, as the browser reports it, may send it. A page cannot forge what its browser
/// reports (Fetch standard, "Origin header"; Fetch Metadata). `origin`: see find_origin().
bool may_send(Senders senders, const Request& request, std::string_view origin);

/// The problem of a request that may_send() does not permit.
Problem make_foreign_page_problem();

}  // namespace kbase::http
