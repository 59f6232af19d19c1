// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <string>
#include <string_view>

#include "adapters/http/client_address.hpp"
#include "adapters/http/request_parser.hpp"
#include "domain/model/day.hpp"
#include "ports/driven/crypto.hpp"

namespace kbase::http {

/// The cookie by which requests of the pages' scripts are those of a visitor. It holds the time at which it ends,
/// signed together with the network of the client, so that it is of no use elsewhere. Thread-safe.
class VisitorCookie {
 public:
  static constexpr std::chrono::hours kLifetime{1};

  /// `signatures` must outlive this object.
  explicit VisitorCookie(const ports::Signatures& signatures) : signatures_(signatures) {}

  /// Whether the request has a cookie that is valid for the client, and comes from a page of this server. A browser
  /// that does not say where a request comes from (Fetch Metadata, section 2.3) is believed: SameSite=Strict keeps the
  /// cookie from requests of other sites.
  bool is_visitor(const Request& request, const Peer& client, model::Instant now) const;

  /// Returns the value of Set-Cookie, or "" if the cookie of the request is good for at least half its lifetime.
  /// `is_secure`: the client came by TLS.
  std::string renew(const Request& request, const Peer& client, model::Instant now, bool is_secure) const;

 private:
  std::chrono::seconds time_left(const Request& request, const Peer& client, model::Instant now) const;
  ports::Signature sign(std::string_view end, const Peer& client) const;

  const ports::Signatures& signatures_;
};

}  // namespace kbase::http
