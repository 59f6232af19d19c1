// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace kbase::http {

/// A file of the site, with its path from the root, for example "/explorer/main.js".
struct SiteFile {
  std::string path;
  std::string bytes;
};

/// Origins whose scripts may read responses.
struct CorsOptions {
  std::vector<std::string> allowed_origins = {"*"};  ///< values of Origin; "*": any origin
  std::chrono::seconds max_age{86'400};              ///< how long a browser may cache a preflight response
};

/// How the access log identifies a client address.
enum class LoggedAddress {
  Hash,    ///< pseudonym of the address as the rate limiter counts it
  Prefix,  ///< pseudonym and network: the first 24 bits of an IPv4 address, 48 of IPv6
  Full,    ///< pseudonym and full address
  None,    ///< nothing that distinguishes addresses
};

/// Options of a server. All durations use Clock::steady and are checked ten times per second.
struct ServerOptions {
  std::string section = "server";              ///< section of the configuration, for messages
  std::string address = "127.0.0.1";           ///< IPv4, IPv6 or a name; "::" listens on both families
  std::uint16_t port = 8080;                   ///< 0: any free port
  std::string base_path = "/api/v1";           ///< base path of all endpoints; "" or "/": the root
  unsigned threads = 1;                        ///< reactor threads; more than the number of cores only add overhead
  std::uint64_t max_body_bytes = 1024 * 1024;  ///< of one request; larger: 413
  std::uint64_t max_body_bytes_total = 256 * 1024 * 1024;  ///< of all connections together; larger: 503
  std::size_t max_connections = 10'000;  ///< up to 64 more get a 503, others are closed; lowered to fit the fd limit
  std::size_t max_connections_per_address = 8'000;  ///< per client address, except trusted proxies; handled likewise

  std::chrono::milliseconds header_timeout{10'000};    ///< from the first byte of a request to its last field; then 408
  std::chrono::milliseconds body_timeout{30'000};      ///< from the last field to the end of the body; then 408
  std::chrono::milliseconds idle_timeout{60'000};      ///< between requests; then the connection is closed
  std::chrono::milliseconds send_timeout{30'000};      ///< without progress in sending; then the connection is closed
  std::chrono::milliseconds request_timeout{30'000};   ///< deadline of the reply and of all calls for it
  std::chrono::milliseconds codehost_timeout{10'000};  ///< of code-hosting requests, if shorter than request_timeout
  std::chrono::milliseconds llm_timeout{10'000};       ///< for a completion; for a stream, up to its first part
  std::chrono::milliseconds stream_timeout{600'000};   ///< of a whole stream; cut off after send_timeout in addition
  std::chrono::milliseconds drain_timeout{10'000};     ///< for pending requests when the server stops

  std::vector<std::string> trusted_proxies;  ///< networks of trusted proxies; empty: none, not even loopback
  CorsOptions cors;
  LoggedAddress logged_address = LoggedAddress::Hash;
  std::chrono::seconds http_max_age{0};  ///< max-age of replies in the client's cache; 0: revalidate each time

  std::string program_version = "1.0.0";  ///< shown in /health; part of every ETag
  std::string search_fingerprint;         ///< search plugin and its configuration; part of every ETag

  std::string description;     ///< content of /openapi.json; see api_description()
  std::vector<SiteFile> site;  ///< web pages served outside of the base path

  bool codehost_needs_key = false;  ///< the code-hosting endpoint requires an API key

  /// Whether calls never block for longer than a page fault. Such requests run on the reactor thread, others on an
  /// executor.
  bool inline_catalog = false;
  bool inline_search = false;
  bool inline_statistics = false;
};

/// Returns the OpenAPI 3.1 document of the API below `base_path`, as compact JSON. Its source is openapi.json in this
/// directory. Tests compare it with the routes and their responses.
std::string api_description(std::string_view base_path);

}  // namespace kbase::http
