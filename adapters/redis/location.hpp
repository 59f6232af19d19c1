// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "domain/base/result.hpp"

typedef struct ssl_ctx_st SSL_CTX;
typedef struct ssl_st SSL;
namespace kbase::redis {

/// Host and port of a server.
struct Endpoint {
  std::string host;  ///< a name or an address, IPv6 without brackets
  std::uint16_t port = 0;

  bool operator==(const Endpoint&) const = default;

  /// Returns "10.0.0.5:6379" or "[::1]:6379".
  std::string text() const {
    const bool is_ipv6 = host.find(':') != std::string::npos;
    return (is_ipv6 ? "[" + host + "]" : host) + ":" + std::to_string(port);
  }
};

/// Address of a Redis, parsed from a URL:
///
///     redis://[USER:PASSWORD@]HOST[:PORT][/DATABASE]                   one server
///     redis+sentinel://[USER:PASSWORD@]HOST[:PORT],.../PRIMARY[/DATABASE]   the primary that the sentinels name
///     redis+cluster://[USER:PASSWORD@]HOST[:PORT],...                  a cluster, by some of its nodes
///
/// With rediss in place of redis the connections use TLS. Default ports: 6379, sentinels 26379.
struct Location {
  enum class Kind { Single, Sentinels, Cluster };

  Kind kind = Kind::Single;
  bool tls = false;
  std::vector<Endpoint> endpoints;  ///< at least one
  std::string primary;              ///< name of the primary at the sentinels
  std::uint32_t database = 0;
  std::string username;
  std::string password;

  /// InvalidArgument: the message names the problem and contains no part of the user information.
  static Result<Location> parse(std::string_view url);
};

struct TlsFiles {
  std::string authorities;  ///< PEM file of trusted authorities; empty: those of the system
  std::string certificate;  ///< PEM file of the client's certificate chain; empty: no client certificate
  std::string key;          ///< PEM file of the certificate's private key
};

/// Settings shared by all TLS connections. Thread-safe.
class TlsContext {
 public:
  /// InvalidArgument: a file cannot be used; the error names its setting.
  static Result<std::shared_ptr<const TlsContext>> make(const TlsFiles& files);

  SSL_CTX* handle() const { return handle_.get(); }

 private:
  explicit TlsContext(std::shared_ptr<SSL_CTX> handle) : handle_(std::move(handle)) {}
  std::shared_ptr<SSL_CTX> handle_;
};

/// TLS on a connected nonblocking socket. Requires a server certificate for `host`. Not thread-safe.
class TlsSession {
 public:
  /// Result of a step: the number of bytes moved, or 0 if the socket must first become readable or writable.
  struct Step {
    std::size_t bytes = 0;
    bool wants_write = false;
  };

  /// `socket` must outlive this object. `host` is a name or an address; throws std::invalid_argument if it is neither,
  /// because no certificate could be checked against it.
  TlsSession(const TlsContext& context, int socket, const std::string& host);
  TlsSession(const TlsSession&) = delete;
  TlsSession& operator=(const TlsSession&) = delete;

  /// True: the handshake is complete.
  Result<bool> handshake();

  /// Number of bytes received from the server, including the handshake.
  std::uint64_t received() const;

  /// Unavailable: the session has ended; the detail has the reason.
  Result<Step> send(std::string_view bytes);
  Result<Step> receive(std::span<char> buffer);

 private:
  struct Deleter {
    void operator()(SSL* session) const noexcept;
  };
  bool require_host(const std::string& host);
  Result<Step> handle_result(int result);

  int socket_;
  std::unique_ptr<SSL, Deleter> session_;
};

}  // namespace kbase::redis
