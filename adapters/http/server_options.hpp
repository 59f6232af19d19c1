// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "adapters/http/site.hpp"

namespace kbase::http {

/// Which origins' scripts may read answers.
struct CorsOptions {
  std::vector<std::string> allowed_origins = {"*"};  ///< origins as browsers send them; "*": every one
  std::chrono::seconds max_age{86'400};              ///< how long a browser keeps a preflight's answer
};

/// What the log says of a client's address.
enum class LoggedAddress {
  Hash,    ///< nothing but a pseudonym, where the quota counts the address
  Prefix,  ///< its network too: an IPv4 address's first 24 bits, an IPv6 address's first 48
  Full,    ///< all of it
  None,    ///< nothing that tells one address from another
};

/// How a server listens and answers. Every duration counts by Clock::steady and is looked at ten times a second.
struct ServerOptions {
  std::string section = "server";                          ///< of the configuration, for messages
  std::string address = "127.0.0.1";                       ///< IPv4, IPv6 or a name; "::" takes both families
  std::uint16_t port = 8080;                               ///< 0: any free one
  std::string base_path = "/api/v1";                       ///< of every endpoint; "" or "/": the root
  unsigned threads = 1;                                    ///< reactor threads; more than cores only cost
  std::uint64_t max_body_bytes = 1024 * 1024;              ///< of a request; more is 413
  std::uint64_t max_body_bytes_total = 256 * 1024 * 1024;  ///< of all connections together; what would be more is 503
  std::size_t max_connections = 10'000;             ///< more get 503; lowered to what the descriptor limit leaves
  std::size_t max_connections_per_address = 8'000;  ///< of one client, trusted proxies excepted; more get 503

  std::chrono::milliseconds header_timeout{10'000};    ///< from a request's first byte to its last field, else 408
  std::chrono::milliseconds body_timeout{30'000};      ///< from there to the end of the body, else 408
  std::chrono::milliseconds idle_timeout{60'000};      ///< between requests, then the connection closes
  std::chrono::milliseconds send_timeout{30'000};      ///< without the client taking a byte, then it is cut off
  std::chrono::milliseconds request_timeout{30'000};   ///< for the answer; the deadline of every call it makes
  std::chrono::milliseconds codehost_timeout{10'000};  ///< the same of what asks the code host, where it is shorter
  std::chrono::milliseconds llm_timeout{10'000};       ///< the same of a completion; of a stream, for its first piece
  std::chrono::milliseconds stream_timeout{600'000};   ///< of a stream that is made; past it and send_timeout, cut off
  std::chrono::milliseconds drain_timeout{10'000};     ///< for what is in flight when the server stops

  std::vector<std::string> trusted_proxies;  ///< networks whose X-Forwarded-For counts; none, not even loopback
  CorsOptions cors;
  LoggedAddress logged_address = LoggedAddress::Hash;
  std::chrono::seconds http_max_age{0};  ///< how long a client may show an answer unasked; 0: it asks each time

  std::string program_version = "1.0.0";  ///< in /health; a part of every ETag
  std::string search_fingerprint;         ///< of the search plugin with its configuration; a part of every ETag

  std::string description;     ///< what /openapi.json answers, see api_description()
  std::vector<SiteFile> site;  ///< what browsers are shown beside the interface, outside of its base path

  bool codehost_needs_key = false;  ///< its endpoint is for nobody without an API key

  /// Whose calls never block longer than a page fault: they run on the reactor thread, the others on the executor.
  bool inline_catalog = false;
  bool inline_search = false;
  bool inline_statistics = false;
};

}  // namespace kbase::http
