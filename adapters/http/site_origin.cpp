// SPDX-License-Identifier: Apache-2.0
#include "adapters/http/site_origin.hpp"

namespace kbase::http {

std::string find_origin(const Request& request, const Peer& peer, const std::string& configured,
                        const NetworkSet& trusted_proxies) {
  if (!configured.empty()) return configured;
  const bool is_forwarded = trusted_proxies.contains(peer.address);
  const auto scheme = is_forwarded ? request.field("x-forwarded-proto") : std::nullopt;
  return std::string(scheme == "https" ? "https" : "http") + "://" + std::string(request.field("host").value_or(""));
}

bool may_send(Senders senders, const Request& request, std::string_view origin) {
  if (senders == Senders::All) return true;
  const auto site = request.field("sec-fetch-site");
  const auto page = request.field("origin");
  if ((!site && !page) || site == "none") return senders == Senders::NotForeign;  // none: a person typed the address
  if (site == "same-origin") return true;
  if (!page) return false;
  if (*page == origin) return true;
  if (site) return false;  // "cross-site" or "same-site"
  // A proxy in front may have ended TLS without saying so; the host is the same.
  const std::size_t host = page->find("://");
  return host != std::string_view::npos && page->substr(host + 3) == request.field("host");
}

Problem make_foreign_page_problem() {
  Problem problem = make_problem(HttpStatus::Forbidden,
                                 "Only the pages of this site may send this request: Origin must be that of the site, "
                                 "or Sec-Fetch-Site must be same-origin.");
  problem.challenge = {};  // a key would not help
  return problem;
}

}  // namespace kbase::http
