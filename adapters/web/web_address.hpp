// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace kbase::web {

/// The address of a page without its fragment (RFC 3986), in a normal form: scheme and host in lower case, no default
/// port, a path that is not empty and has no dot segments, and percent escapes for characters that an address cannot
/// have.
struct Address {
  std::string origin;  ///< "https://docs.example.org" or "http://localhost:8000"
  std::string path;    ///< "/guide/setup.html"
  std::string query;   ///< "v=2"; empty: none

  std::string text() const { return origin + target(); }
  /// The path with the query, as a request names it.
  std::string target() const { return query.empty() ? path : path + '?' + query; }
  /// The host with its port, if it has one.
  std::string_view host() const { return std::string_view(origin).substr(origin.find("//") + 2); }
};

/// Whether a source is named by an http or https address.
bool is_address(std::string_view text);

/// Parses an http or https address. nullopt: it is malformed, or has a user name, which would be sent to the server.
std::optional<Address> parse_address(std::string_view text);

/// Returns the address that `reference` in a page at `base` means. nullopt: it is malformed or of another scheme.
std::optional<Address> resolve(const Address& base, std::string_view reference);

/// Returns the path of the page at the address as a folder would have it: decoded, without leading and trailing slash
/// and without the ending of a page. An index page has the path of its folder; empty: the page at the top. The path
/// includes the query.
std::string page_path(const Address& address);

}  // namespace kbase::web
